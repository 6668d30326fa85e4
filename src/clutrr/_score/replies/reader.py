"""The reader of answers: extract, interpret, commit."""

import re
from collections.abc import Sequence
from functools import cached_property, lru_cache

from clutrr._arguments import LocationLike, public
from clutrr._config import FORMS, read_words
from clutrr._lexicon import World
from clutrr._puzzle import CANNOT_BE_TOLD
from clutrr._score.claims import ClaimReader
from clutrr._score.replies.commit import (
    ReadAnswer,
    corrected,
    names_all,
    refuses,
    settle,
    stands_by,
    takes_back,
)
from clutrr._score.replies.extract import Extracted, extract, next_item
from clutrr._score.replies.interpret import Clause, Interpreter
from clutrr._score.replies.options import leading_letter, letter_in, letters_in, names_several
from clutrr._score.replies.question import NO, SHORT, WHICH, YES, QuestionForm
from clutrr._score.replies.text import plain, tokens
from clutrr._score.replies.vocabulary import Vocabulary
from clutrr._score.words import words
from clutrr._statement import Statement, Status
from clutrr._worlds import load_world
from clutrr.errors import ConfigError

_LONGEST = 50_000  # characters; what is longer is no answer
_LONGEST_DESCRIPTION = 200
_OWN = re.compile(r"^(?:his|her|their|its)\s+", re.IGNORECASE)
_OF_OWN = re.compile(r" of (?:his|her|their|its)\s+", re.IGNORECASE)
_SENTENCE_END = re.compile(r"[.!?]\s")
_FIRST_WORDS = re.compile(
    r"\A[\s*_`\"'#>-]*([A-Za-z][\w -]{1,40}?)[*_`\"']*(?:[.!]\s+|\n\s*\n|\s+[-\u2013\u2014]\s+|,\s+(?:because|since|as)\b)(?=\S)"
)
_CLAUSE_ENDS = re.compile(r"[.!?\n]\s+(?=\S)|,\s+(?:but|so|and so|hence|thus|therefore)\s+")
_RESULT = re.compile(
    r"(?:[-=]+>|[\u2192\u21d2\u2234]|=)\s*(?:an? |the )?([A-Za-z][\w -]{1,40}?)[.!*]*\s*\Z"
)
_SUBJECT = re.compile(r"\b(?:he|she|it)\s+(?=is\b|must\b|was\b)", re.IGNORECASE)
_YES_OR_NO = re.compile(r"[\s*_]*(yes|no)\b[*_]*\s*[,.!:;\u2013\u2014-]", re.IGNORECASE)
_LETTER_FIRST = re.compile(r"\A[\s*_(]*[A-Za-z][.):\]]+\s+")
_NO_DENIED = re.compile(
    r"\b(?:not|never) (?:no|false)\b"
    r"|\bno (?:answer|idea|info\w*|comment|one|matter|doubt|problem)\b"
    r"|\b(?:no|false|incorrect|wrong)\W{0,3}(?:(?:which|but that) )?"
    r"(?:is|was|isn't|would|cannot|seems)\b"
)
_FRAME = words("frame") | words("yes") | words("no")


class AnswerReader:
    """Reads what replies answer to questions about stories of one world.

    Args:
        world: whose relations are the answers.
    """

    def __init__(self, world: World) -> None:
        self._world = world
        self._vocabulary = Vocabulary(world)
        self._interpreter = Interpreter(self._vocabulary)

    @cached_property
    def _claims(self) -> ClaimReader:
        return ClaimReader(self._world)

    def read(self, reply: str, asked: QuestionForm = WHICH, *, cut: bool = False) -> ReadAnswer:
        """Return what a reply answers.

        Args:
            reply: all of it, reasoning included.
            asked: the form of the question.
            cut: whether the reply was cut off.
        """
        given = extract(self._own_part(reply))
        if len(given.text) > _LONGEST or len(plain(given.text)) > _LONGEST:
            return ReadAnswer()
        if cut and not given.marked:
            return ReadAnswer()
        value, clauses = self._value(given, asked)
        if refuses(plain(given.text if given.marked else reply[-_LONGEST:])) and (
            value is None or (value == CANNOT_BE_TOLD and not given.marked)
        ):
            return ReadAnswer(refused=True)
        return ReadAnswer(value, committed=self._is_committed(value, given, asked, clauses))

    def _own_part(self, reply: str) -> str:
        """Return a reply without the next item that a base model goes on with, where its answer is one word."""
        following = next_item(reply)
        first = reply[:following].strip() if following else ""
        alone = bool(first) and self._vocabulary.relation(first.strip(" .*_`")) is not None
        return first if alone else reply

    def relation(self, word: str) -> str | None:
        """Return the relation that a word or phrase is, alone; None if it is none."""
        return self._vocabulary.relation(word)

    def _value(self, given: Extracted, asked: QuestionForm) -> tuple[str | None, list[Clause]]:
        """Return the one answer, if there is one, and the clauses of the mark that gives it."""
        if given.marked:
            return self._marked_value(given, asked)
        return self._unmarked_value(given.text, asked), []

    def _marked_value(
        self, given: Extracted, asked: QuestionForm
    ) -> tuple[str | None, list[Clause]]:
        """Return what a mark says: its first clause is the answer, later ones explain it."""
        yes_no = asked.form == "yes-no"
        said = corrected(given.text, yes_no)
        told, _ = self._about(said, asked)
        clauses = [*self._interpreter.clauses(told, yes_no)]
        if takes_back(given.after):
            return self._instead(given.after, asked), clauses
        if self._left_open(given, asked):
            return None, clauses
        if yes_no and (short := SHORT.get(plain(said).strip(" .!*_`$()"))):
            return short, clauses
        code = self._vocabulary.codes.get(said.strip(" .*_`$"))
        if code is not None and asked.form == "which":
            return code, clauses
        found = settle(clauses, True, self._option(said, asked))
        if yes_no and not found:
            return self._by_relation(told, asked), clauses
        if asked.form == "which" and len(found) != 1:
            return self._described(said, asked), clauses
        return self._single(found, said, asked), clauses

    def _instead(self, after: str, asked: QuestionForm) -> str | None:
        """Return what follows an answer that was taken back: "Edit: it should be son."."""
        yes_no = asked.form == "yes-no"
        said = corrected(after, yes_no)
        clauses = [*self._interpreter.clauses(self._about(said, asked)[0], yes_no)]
        return self._single(settle(clauses, False, self._option(said, asked)), said, asked)

    def _unmarked_value(self, said: str, asked: QuestionForm) -> str | None:
        """Return what a reply as a whole says: its last words, what it states of the two, or all of it."""
        yes_no = asked.form == "yes-no"
        if yes_no and (short := SHORT.get(plain(said).strip(" .!*_`$()\n"))):
            return short
        lettered = asked.form == "choice" and letters_in(said, len(asked.relations))
        if (
            asked.form == "choice"
            and (chosen := leading_letter(said, len(asked.relations))) is not None
        ):
            return asked.relations[chosen]
        last = said.rstrip().rpartition("\n")[2]
        found = _last_words([*self._interpreter.clauses(last, yes_no)])
        if len(found) == 1 and not lettered and last != said.strip():
            return self._single(found, said, asked)
        told, stated = self._about(said, asked, alone=True)
        first = self._first_words(said, asked)
        if first and stated <= {first}:
            return first
        if stated or _is_unfinished(said):
            return stated.pop() if len(stated) == 1 else None
        clauses = [*self._interpreter.clauses(told, yes_no)]
        found = settle(clauses, False, self._option(said, asked))
        if len(found) != 1 and not lettered:
            found = _last_words(clauses) or self._concluded(said, asked)
        if len(found) != 1 and yes_no:
            found = _first_word(said, clauses)
        return self._single(found, said, asked)

    def _first_words(self, said: str, asked: QuestionForm) -> str | None:
        """Return the relation with which a reply begins, if it only explains it then: "Nephew. Ann's brother ..."."""
        match = _FIRST_WORDS.match(said)
        if match is None or asked.form != "which":
            return None
        return self._vocabulary.relation(match[1])

    def _concluded(self, said: str, asked: QuestionForm) -> set[str | None]:
        """Return what the last clause of an argument says: "..., but I now see that Bob is Ann's nephew."."""
        last = _CLAUSE_ENDS.split(said.strip())[-1]
        if (result := _RESULT.search(last)) and (named := self._vocabulary.relation(result[1])):
            return {named}
        if len(asked.query) != 2:
            return set()
        first, second = asked.query
        if first in last and second not in last:
            last = _SUBJECT.sub(f"{second} ", last, count=1)
        return {*self._about(last, asked)[1]}

    def _option(self, said: str, asked: QuestionForm) -> tuple[str, ...]:
        """Return the relation of the option whose letter is given, if there is one."""
        letter = letter_in(said, len(asked.relations)) if asked.form == "choice" else None
        return () if letter is None else (asked.relations[letter],)

    def _single(self, found: set[str | None], said: str, asked: QuestionForm) -> str | None:
        """Return the one thing that was found, if it is one and was offered."""
        if len(found) != 1 or (found == {NO} and _NO_DENIED.search(plain(said))):
            return None
        (value,) = found
        offered = asked.form != "choice" or value in (*asked.relations, CANNOT_BE_TOLD)
        return value if offered else None

    def _described(self, said: str, asked: QuestionForm) -> str | None:
        """Return the relation that a description amounts to: "her daughter's son"."""
        if len(asked.query) != 2 or len(said) > _LONGEST_DESCRIPTION:
            return None
        first, second = asked.query
        words = _OWN.sub(f"{first}'s ", said.strip(" .*_`").partition(",")[0])
        if first not in words:
            words = _OF_OWN.sub(f" of {first}'s ", words)
        if second in words or _SENTENCE_END.search(words):
            return None
        stated = self._claims.about(f"{second} is {words}.", asked.query)
        answers = {self._answer(one, asked) for one in stated}
        return answers.pop() or None if len(answers) == 1 else None

    def _left_open(self, given: Extracted, asked: QuestionForm) -> bool:
        return asked.form == "choice" and names_several(given.after)

    def _by_relation(self, told: str, asked: QuestionForm) -> str | None:
        """Return whether the relation that is asked about holds, where an answer names another one."""
        clauses = [*self._interpreter.clauses(told, yes_no=False)]
        found = settle(clauses, True, ())
        denied = {one for clause in clauses for one in clause.denied}
        if not found and denied in ({asked.claimed}, *([] if asked.claimed else [denied])):
            return NO if denied else None  # "not her son"
        if len(found) != 1 or found in ({None}, {CANNOT_BE_TOLD}) or not asked.claimed:
            return None
        return YES if found == {asked.claimed} else NO

    def _is_committed(
        self, value: str | None, given: Extracted, asked: QuestionForm, clauses: Sequence[Clause]
    ) -> bool:
        """Return whether exactly one answer is marked, and the reply stands by it."""
        if value is None or not given.single or (value == NO and not clauses):
            return False
        said, yes_no = given.text, asked.form == "yes-no"
        if asked.form != "which" and (
            names_all(said.lower()) or letters_in(said, len(asked.relations)) > 1
        ):
            return False
        if not self._says_no_more(clauses, asked):
            return False
        after = given.after[:_LONGEST]
        later = self._interpreter.clauses(after, yes_no)
        return stands_by(said.lower(), clauses, {value}, after.lower(), later)

    def _says_no_more(self, clauses: Sequence[Clause], asked: QuestionForm) -> bool:
        """Return whether the clause that answers has only words of answers, and of the question."""
        giving = next((one for one in clauses if one.named), None)
        if giving is None or not self._vocabulary.english:
            return True
        names = {token.text for name in asked.query for token in tokens(plain(name))}
        known = _FRAME | names | self._interpreter.denials
        return giving.said <= known | self._vocabulary.words | self._vocabulary.other_relations

    def _about(self, said: str, asked: QuestionForm, alone: bool = False) -> tuple[str, set[str]]:
        """Return a text with what it states of the two entities put as an answer, and these answers.

        "Dan is Ann's son", asked for Dan, becomes "son"; "Ann is north of Bob", asked for Bob,
        "south of"; and what depends on a form that is not known, nothing.

        alone: whether what is said of others is left out.
        """
        stated, parts, at = set[str](), [], 0
        if not asked.query or not any(name in said for name in asked.query):
            return said, stated
        for one in self._claims.among(said, asked.query):
            if {one.head, one.tail} != {*asked.query}:
                if alone and one.start >= at:  # what others are is no answer
                    parts += [said[at : one.start], " "]
                    at = one.end
                continue
            answer = self._answer(one, asked)
            if answer is not None and (one.end < len(said) or not _is_unfinished(said)):
                stated.update(filter(None, (answer,)))
                parts += [said[at : one.start], f" {answer} "]
                at = one.end
        return "".join([*parts, said[at:]]), stated

    def _answer(self, said: Statement, asked: QuestionForm) -> str | None:
        """Return the answer that a claim about the two entities gives, "" if none, None if unsure."""
        denied = said.status is Status.DENIED
        if len(said.relations) > 1 or said.status not in (Status.ASSERTED, Status.DENIED):
            return None
        relation = said.relations[0]
        if said.head != asked.query[0]:
            relation = self._vocabulary.converse.get(relation, "")
        if asked.form != "yes-no":
            return None if denied else relation
        if not asked.claimed:
            return NO if denied else None
        if relation != asked.claimed:
            return None if denied or not relation else NO
        return NO if denied else YES


def _last_words(clauses: Sequence[Clause]) -> set[str | None]:
    """Return what the last clause names, where it says nothing else: "... So: **no**"."""
    last = next((one for one in reversed(clauses) if one.said or one.named), None)
    alone = last is not None and last.bare and len(last.named) == 1 and "?" not in last.said
    return {*last.named} if last is not None and alone else set()


def _first_word(said: str, clauses: Sequence[Clause]) -> set[str | None]:
    """Return the yes or no with which a reply begins, if it names the other one nowhere: "Yes - ..."."""
    match = _YES_OR_NO.match(said)
    if match is None:
        return set()
    first = match[1].lower()
    named = {one for clause in clauses for one in clause.named if one is not None}
    return {first} if named <= {first} else set()


def _is_unfinished(said: str) -> bool:
    """Return whether a text stops in the middle of its last sentence, and that is not its only one."""
    said = _LETTER_FIRST.sub("", said.strip())  # "B. nephew" is all of it
    return (said[-1:].isalnum() or said[-1:] in (",", ";", ":")) and _SENTENCE_END.search(
        said
    ) is not None


@public
def read_answer(
    reply: str,
    world: LocationLike | World = "kinship",
    form: str = "which",
    relations: Sequence[str] = (),
    query: Sequence[str] = (),
) -> ReadAnswer:
    """Return what a reply answers: `value`, `refused` and `committed`.

    - world: of the question
    - form: `which` relation; `yes-no`, whether the one relation holds (with several, only yes and no count); or a `choice` of them,
      lettered from A
    - query: the two entities asked about, so that sentences about them count, too

    >>> read_answer("She is not his aunt but his sister.\\nAnswer: sister").value
    'sister'
    >>> read_answer("I cannot discuss private individuals.").refused
    True
    """
    if form not in FORMS:
        raise ConfigError(f"is not one of {', '.join(FORMS)}", setting="form", value=form)
    asked = QuestionForm(form, read_words(relations, "relations"), read_words(query, "query"))
    return _reader(load_world(world)).read(reply, asked)


_reader = lru_cache(8)(AnswerReader)  # slow to make
