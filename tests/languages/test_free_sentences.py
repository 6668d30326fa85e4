"""Free sentences of kinship in other languages: what they state, with their status, and what is not understood."""

import pytest

import clutrr
from clutrr._reading import Understood, reader_of

# What each sentence says: status, head, relation, tail; nothing if it asks.
SAID = {
    "de": {
        "Paul ist Annas Sohn.": ["asserted Anna Sohn Paul"],
        "Paul ist nicht Annas Sohn.": ["denied Anna Sohn Paul"],
        "Paul ist kein Bruder von Anna.": ["denied Anna Bruder Paul"],
        "Vielleicht ist Paul Annas Sohn.": ["possible Anna Sohn Paul"],
        "Ist Paul Annas Sohn?": [],
        "Anna und ihr Mann Paul gingen nach Hause.": ["asserted Anna Ehemann Paul"],
        "Paul ist Annas Sohn und Ottos Bruder.": ["asserted Anna Sohn Paul", "asserted Otto Bruder Paul"],
        "Anna hat einen Sohn, der Paul heißt.": ["asserted Anna Sohn Paul"],
        "Annas Bruder Paul ist Arzt.": ["asserted Anna Bruder Paul"],
        "Paul, Annas Sohn, wohnt in Bonn.": ["asserted Anna Sohn Paul"],
        "Hans' Tochter ist Anna.": ["asserted Hans Tochter Anna"],
        "[Bob] ist [Ann]s Bruder.": ["asserted Ann Bruder Bob"],
        "Anna und Paul sind verheiratet.": ["asserted Anna Ehemann Paul"],
    },
    "fr": {
        "Paul est le fils d’Anne.": ["asserted Anne fils Paul"],
        "Paul n'est pas le fils d'Anne.": ["denied Anne fils Paul"],
        "Paul est peut-être le fils d’Anne.": ["possible Anne fils Paul"],
        "Est-ce que Paul est le fils d’Anne ?": [],
        "Anne et son mari Paul sont partis.": ["asserted Anne mari Paul"],
        "Le frère de Marie s’appelle Paul.": ["asserted Marie frère Paul"],
        "Anne a un fils, Paul.": ["asserted Anne fils Paul"],
        "Paul, le fils d’Anne, dort.": ["asserted Anne fils Paul"],
        "Paul est le fils d’Anne et le frère de Marie.": ["asserted Anne fils Paul", "asserted Marie frère Paul"],
    },
    "es": {
        "Pablo es el hijo de Ana.": ["asserted Ana hijo Pablo"],
        "Pablo no es el hijo de Ana.": ["denied Ana hijo Pablo"],
        "Quizás Pablo sea el hijo de Ana.": ["possible Ana hijo Pablo"],
        "¿Es Pablo el hijo de Ana?": [],
        "Ana y su marido Pablo salieron.": ["asserted Ana esposo Pablo"],
        "Ana tiene un hijo llamado Pablo.": ["asserted Ana hijo Pablo"],
        "Pablo, hijo de Ana, duerme.": ["asserted Ana hijo Pablo"],
    },
    "ru": {
        "Роман — сын Анны.": ["asserted Анна сын Роман"],
        "Роман не сын Анны.": ["denied Анна сын Роман"],
        "Роман не приходится Анне братом.": ["denied Анна брат Роман"],
        "Возможно, Роман — сын Анны.": ["possible Анна сын Роман"],
        "Верно ли, что Роман — сын Анны?": [],
        "Анна и её муж Роман уехали.": ["asserted Анна муж Роман"],
        "У Анны есть брат Роман.": ["asserted Анна брат Роман"],
        "Роман, сын Анны, спит.": ["asserted Анна сын Роман"],
    },
    "tr": {
        "Can, Ayşe’nin oğludur.": ["asserted Ayşe oğlu Can"],
        "Can, Ayşe'nin oğlu değil.": ["denied Ayşe oğlu Can"],
        "Belki Can, Ayşe’nin oğludur.": ["possible Ayşe oğlu Can"],
        "Can, Ayşe’nin oğlu mu?": [],
        "Ayşe ve kocası Can eve gitti.": ["asserted Ayşe kocası Can"],
        "Ayşe’nin erkek kardeşi Can geldi.": ["asserted Ayşe erkek kardeşi Can"],
    },
    "zh": {
        "[伟]是[娜]的儿子。": ["asserted 娜 儿子 伟"],
        "[伟]不是[娜]的儿子。": ["denied 娜 儿子 伟"],
        "[伟]可能是[娜]的儿子。": ["possible 娜 儿子 伟"],
        "[伟]是[娜]的儿子吗？": [],
        "[娜]和她的丈夫[伟]出门了。": ["asserted 娜 丈夫 伟"],
        "[伟]是[娜]的爸爸。": ["asserted 娜 父亲 伟"],
    },
}  # fmt: skip
# Not understood: another relation, a condition, hearsay, a choice, somebody else's relative, another language.
UNREAD = {
    "de": [
        "Paul ist Annas Onkel.", "Wenn Paul Annas Sohn ist, regnet es.", "Man sagt, Paul sei Annas Sohn.", "Paul ist Annas Sohn oder Enkel.",
        "Anna und sein Mann Paul gingen nach Hause.", "[Bob] ist [Ann]s Halbbruder.", "Annas Bruder ist Arzt.",
        "Paul ist nicht Annas Sohn und Ottos Bruder.", "[Bob] is [Ann]'s son.",
    ],
    "fr": [
        "Paul est l’oncle d’Anne.", "Si Paul est le fils d’Anne, il pleut.", "On dit que Paul est le fils d’Anne.",
        "Paul est le fils ou le neveu d’Anne.", "Paul est le demi-frère d’Anne.", "La sœur de Marie est infirmière.",
    ],
    "es": ["Pablo es tío de Ana.", "Si Pablo es hijo de Ana, llueve.", "Pablo es medio hermano de Ana.", "Dicen que Pablo es hijo de Ana."],
    "ru": ["Роман — дядя Анны.", "Если Роман — сын Анны, идёт дождь.", "Роман — двоюродный брат Анны.", "Анна и его муж Роман уехали."],
    "tr": ["Can, Ayşe’nin amcasıdır.", "Can, Ayşe’nin üvey oğludur."],
    "zh": ["[伟]是[娜]的叔叔。", "如果[伟]是[娜]的儿子，就下雨。", "[伟]是[娜]的继子。"],
}  # fmt: skip


def told(text: str, language: str) -> list[str]:
    found = clutrr.statements(text, f"kinship-{language}")
    assert not found.unread, found
    for one in found:
        assert text[one.start : one.end] == text
    return [" ".join((one.status, one.head, "|".join(one.relations), one.tail)) for one in found]


@pytest.mark.parametrize("language", SAID)
def test_what_free_sentences_say(language: str) -> None:
    for text, expected in SAID[language].items():
        assert told(text, language) == expected, text


@pytest.mark.parametrize("language", UNREAD)
def test_what_is_not_understood(language: str) -> None:
    for text in UNREAD[language]:
        found = clutrr.statements(text, f"kinship-{language}")
        assert not list(found), text
        assert [one.understood for one in found.sentences] != [Understood.READ], text
        assert found.unread, text


def test_what_is_denied_or_doubted_is_no_fact() -> None:
    reader = reader_of(clutrr.load_world("kinship-de"))
    told = reader.read("Paul ist nicht Annas Sohn. Vielleicht ist Paul Annas Bruder.")
    assert (told.facts, len(told)) == ((), 2)


def test_free_sentences_are_solved() -> None:
    story = "Paul ist der Sohn von Anna. Anna und ihr Mann Karl wohnen in Bonn."
    solution = clutrr.solve(story, ("Karl", "Paul"), world="kinship-de")
    assert solution.answers == ("Sohn",)
    assert "Karl ist Annas Ehemann" in solution.proof


@pytest.mark.parametrize("language", SAID)
def test_no_story_of_a_world_is_read_by_the_free_grammar_otherwise(language: str) -> None:
    """A template that both know says the same to both."""
    from clutrr._reading.free import free_sentences

    world = clutrr.load_world(f"kinship-{language}")
    free, own = free_sentences(world), reader_of(world)
    assert free is not None
    for puzzle in clutrr.generate(world=world, preset="described", k=3, size=60, seed=9):
        for sentence in puzzle.sentences:
            text = puzzle.story[sentence.start : sentence.end]
            said = free.read(text, None)
            if said is not None:
                assert [(one.head, one.relations[0], one.tail) for one in said] == list(
                    map(tuple, own.read(text).facts)
                )
