"""Events in ordinary sentences: what is read, and what is not."""

import pytest
from telling import OPERATORS, Told, told, under

READ: list[tuple[str, tuple[str, ...], Told]] = [
    (
        "The concert began an hour after the dinner ended.",
        ("concert", "dinner"),
        {("concert", "after", "dinner")},
    ),
    (
        "The meeting took place before the lunch.",
        ("meeting", "lunch"),
        {("meeting", "before|meets", "lunch")},
    ),
    (
        "The rehearsal ended just as the party began.",
        ("rehearsal", "party"),
        {("rehearsal", "meets", "party")},
    ),
    (
        "The fire broke out during the storm.",
        ("fire", "storm"),
        {("fire", "during|equals|finishes|overlapped by|started by|starts", "storm")},
    ),
    (
        "The lecture ran from 9 to 10 a.m. and the seminar from 10 to 12.",
        ("lecture", "seminar"),
        {("seminar", "met by", "lecture")},
    ),
    (
        "The war lasted from 1914 to 1918; the pandemic lasted from 1918 to 1920.",
        ("war", "pandemic"),
        {
            ("pandemic", "after|during|finishes|met by|overlapped by", "war"),
            ("pandemic", "after|met by|overlapped by", "war"),
        },
    ),
    (
        "By the time the speech started, the dinner was over.",
        ("speech", "dinner"),
        {("dinner", "before|meets", "speech")},
    ),
    (
        "The trial preceded the election by a month.",
        ("trial", "election"),
        {("trial", "before", "election")},
    ),
    (
        "The festival was immediately followed by the parade.",
        ("festival", "parade"),
        {("festival", "meets", "parade")},
    ),
    (
        "The siege took place entirely within the war.",
        ("siege", "war"),
        {("siege", "during|finishes|starts", "war")},
    ),
    (
        "The talks overlapped with the strike.",
        ("talks", "strike"),
        {
            (
                "talks",
                "contains|during|equals|finished by|finishes|overlapped by|overlaps|started by|starts",
                "strike",
            )
        },
    ),
    (
        "Twenty minutes after the game ended, the storm began.",
        ("game", "storm"),
        {("storm", "after", "game")},
    ),
    (
        "The first session finished at noon, and the second session started at 1 pm.",
        ("first session", "second session"),
        {("second session", "after", "first session")},
    ),
    (
        "The tournament began on 3 June and ended on 10 June. The fair ran from 12 June to 15 June.",
        ("tournament", "fair"),
        {("fair", "after", "tournament")},
    ),
    (
        "The auction didn't start until the viewing had finished.",
        ("auction", "viewing"),
        {("auction", "after|met by", "viewing")},
    ),
    (
        "The picnic started and ended at the same times as the regatta.",
        ("picnic", "regatta"),
        {("picnic", "equals", "regatta"), ("picnic", "equals|started by|starts", "regatta")},
    ),
    (
        "The hike started before the picnic started and ended after the picnic ended.",
        ("hike", "picnic"),
        {
            ("hike", "before|contains|finished by|meets|overlaps", "picnic"),
            ("hike", "contains", "picnic"),
        },
    ),
    (
        "The war began before the drought did and ended while the drought was still going on.",
        ("war", "drought"),
        {
            ("war", "before|contains|finished by|meets|overlaps", "drought"),
            ("war", "overlaps", "drought"),
        },
    ),
    (
        "The sale closed two days before the fair opened.",
        ("sale", "fair"),
        {("sale", "before", "fair")},
    ),
    (
        "The drought outlasted the famine.",
        ("drought", "famine"),
        {("drought", "after|contains|met by|overlapped by|started by", "famine")},
    ),
    (
        "The gala came right after the auction.",
        ("gala", "auction"),
        {("gala", "after|met by", "auction")},
    ),
    (
        "The exhibition closed the day before the fair opened.",
        ("exhibition", "fair"),
        {("exhibition", "before", "fair")},
    ),
    (
        "The matinee finishes well before the evening show starts.",
        ("matinee", "evening show"),
        {("matinee", "before", "evening show")},
    ),
    (
        "The audit started when the merger ended.",
        ("audit", "merger"),
        {("audit", "met by", "merger")},
    ),
    (
        "The cruise ended three days later than the conference.",
        ("cruise", "conference"),
        {("cruise", "after|contains|met by|overlapped by|started by", "conference")},
    ),
    ("The trip followed the wedding.", ("trip", "wedding"), {("trip", "after|met by", "wedding")}),
    ("The fast ends when the feast begins.", ("fast", "feast"), {("fast", "meets", "feast")}),
    (
        "The reign of Anna ended in 1740; the war began in 1756.",
        ("reign of Anna", "war"),
        {("war", "after", "reign of Anna")},
    ),
    (
        "There was a two-week break between the end of the course and the beginning of the exam.",
        ("course", "exam"),
        {("exam", "after", "course")},
    ),
    (
        "The siege had already ended when the plague broke out.",
        ("siege", "plague"),
        {("siege", "before|meets", "plague")},
    ),
    (
        "The seminar starts right when the workshop ends.",
        ("seminar", "workshop"),
        {("seminar", "met by", "workshop")},
    ),
    (
        "The choir rehearsal was held two hours before the concert.",
        ("choir rehearsal", "concert"),
        {("choir rehearsal", "before", "concert")},
    ),
    (
        "Registration closes at 9:00 and the keynote begins at 9:30.",
        ("Registration", "keynote"),
        {("keynote", "after", "Registration")},
    ),
    (
        "The blackout began midway through the match and ended after it.",
        ("blackout", "match"),
        {
            ("blackout", "during|finishes|overlapped by", "match"),
            ("blackout", "overlapped by", "match"),
        },
    ),
    (
        "The fair opened on 1 May and closed on 4 May; the market opened on 6 May.",
        ("fair", "market"),
        {("market", "after", "fair")},
    ),
    (
        "The sprint followed directly after the review.",
        ("sprint", "review"),
        {("sprint", "met by", "review")},
    ),
    (
        "After the parade had ended, the fireworks began.",
        ("parade", "fireworks"),
        {("fireworks", "after", "parade")},
    ),
]

# Sentences that a shallow reader falls for.
TRAPS = [
    ("The course and the camp start on the same day and end on the same day.", ("course", "camp")),
    ("While the summit was still going on, the protest ended.", ("summit", "protest")),
    ("The moment the bell rang, the exam ended.", ("bell", "exam")),
    ("The construction of the bridge was completed before the flood.", ("bridge", "flood")),
    ("The election will be held after the census.", ("election", "census")),
    ("The judge stood before the court after the trial.", ("court", "trial")),
    ("It is not true that the ball ended before the banquet began.", ("ball", "banquet")),
    ("The council was named after the meeting.", ("council", "meeting")),
    ("Once the storm had passed, the regatta began.", ("storm", "regatta")),
    ("The judge appeared before the court.", ("judge", "court")),
    ("Ann ran after the parade.", ("Ann", "parade")),
    ("The strike began after the talks' failure.", ("strike", "talks")),
    ("The plan for the parade was made before the sermon.", ("parade", "sermon")),
    ("The parade was planned before the sermon began.", ("parade", "sermon")),
    ("The tickets for the parade were sold before the sermon.", ("parade", "sermon")),
    ("The parade was named after the war.", ("parade", "war")),
    ("The sermon comes before the parade in the alphabet.", ("sermon", "parade")),
    ("The parade began in Leeds and the sermon ended in Hull.", ("parade", "sermon")),
    ("The sermon began at 9. The parade ended at 8 the next day.", ("sermon", "parade")),
    (
        "On Monday the sermon ran from 9 to 10; on Tuesday the parade ran from 8 to 9.",
        ("sermon", "parade"),
    ),
    ("The sermon was to begin after the parade.", ("sermon", "parade")),
    ("The sermon should have ended before the parade began.", ("sermon", "parade")),
    ("The sermon nearly ended before the parade began.", ("sermon", "parade")),
    ("The sermon begins when the parade ends, they hope.", ("sermon", "parade")),
    ("The sermon was over budget before the parade began.", ("sermon", "parade")),
    ("The sermon ended badly before the parade.", ("sermon", "parade")),
    ("The sermon opened the parade.", ("sermon", "parade")),
    ("The war closed the theatre.", ("war", "theatre")),
    ("The book about the war appeared after the siege.", ("war", "siege")),
    ("The sermon was before the parade until it was moved.", ("sermon", "parade")),
    ("The second half of the match ended after the parade.", ("match", "parade")),
    ("The first day of the fair ended before the parade began.", ("fair", "parade")),
    ("The sermon ended in 1918 pages.", ("sermon",)),
    ("The sermon started late; the parade had started on time.", ("sermon", "parade")),
    ("The war ended in 1918, but the peace began in the hearts in 1920.", ("war", "peace")),
    ("The parade ends where the sermon begins.", ("parade", "sermon")),
    ("The anniversary of the war took place before the parade.", ("war", "parade")),
    ("The end of the war film came before the start of the parade.", ("war", "parade")),
    ("The inspection lasted until after the drill had ended.", ("inspection", "drill")),
    ("The ceasefire came into force a week before the election.", ("ceasefire", "election")),
    (
        "Both the siege and the blockade began in March 1810, but the siege ended earlier.",
        ("siege", "blockade"),
    ),
    ("The reform was debated during the session.", ("reform", "session")),
    ("The festival ended on the same day as the conference.", ("festival", "conference")),
    ("The trial will start before the strike ends.", ("trial", "strike")),
]

# To be put under every operator.
PLAIN = [
    "the sermon ended an hour before the parade began",
    "the sermon took place before the parade",
    "the sermon ended in 1918 and the parade began in 1939",
    "the sermon began when the parade ended",
    "the sermon outlasted the parade",
    "the sermon was immediately followed by the parade",
]


@pytest.mark.parametrize(("text", "names", "facts"), READ)
def test_ordinary_sentences_are_read(text: str, names: tuple[str, ...], facts: Told) -> None:
    assert told(text, "time", names) == facts


@pytest.mark.parametrize(("text", "names"), TRAPS)
def test_traps_state_nothing(text: str, names: tuple[str, ...]) -> None:
    assert not told(text, "time", names)


@pytest.mark.parametrize("sentence", PLAIN)
def test_an_operator_takes_an_assertion_away(sentence: str) -> None:
    assert told(under("{S}.", sentence), "time")
    for operator in OPERATORS:
        assert not told(under(operator, sentence), "time"), operator
