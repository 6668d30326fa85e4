"""Ages in ordinary sentences: what is read, and what is not."""

import pytest
from telling import OPERATORS, Told, told, under

READ: list[tuple[str, tuple[str, ...], Told]] = [
    (
        "Wim is not older than Xia; he is younger.",
        ("Wim", "Xia"),
        {("Wim", "younger than", "Xia")},
    ),
    (
        "Ann is three years older than her colleague Bob.",
        ("Ann", "Bob"),
        {("Ann", "older than", "Bob")},
    ),
    (
        "At 52, Carla is older than Dieter.",
        ("Carla", "Dieter"),
        {("Carla", "older than", "Dieter")},
    ),
    (
        "Ann, 34, and her neighbour Bob, 29, bought the house together.",
        ("Ann", "Bob"),
        {("Bob", "younger than", "Ann")},
    ),
    (
        "Emil was born in 1987 and Fritz in 1991.",
        ("Emil", "Fritz"),
        {("Fritz", "younger than", "Emil")},
    ),
    ("Gina and Hal are twins.", ("Gina", "Hal"), {("Gina", "the same age as", "Hal")}),
    (
        "Of Ian, Jo and Kim, Jo is the oldest.",
        ("Ian", "Jo", "Kim"),
        {("Jo", "older than", "Ian"), ("Jo", "older than", "Kim")},
    ),
    ("Lena isn't as old as Marc.", ("Lena", "Marc"), {("Lena", "younger than", "Marc")}),
    (
        "Nils is the same age as Olga, and Pia is two years younger.",
        ("Nils", "Olga", "Pia"),
        {("Nils", "the same age as", "Olga")},
    ),
    ("Quentin has five years on Rita.", ("Quentin", "Rita"), {("Quentin", "older than", "Rita")}),
    ("Sam's elder sister Tess lives in Rome.", ("Sam", "Tess"), {("Tess", "older than", "Sam")}),
    ("Uma turned 30 last week; Vic is 28.", ("Uma", "Vic"), {("Vic", "younger than", "Uma")}),
    (
        "Yara is a good deal younger than Zack.",
        ("Yara", "Zack"),
        {("Yara", "younger than", "Zack")},
    ),
    (
        "Both Al and Ben are older than Cat.",
        ("Al", "Ben", "Cat"),
        {("Al", "older than", "Cat"), ("Ben", "older than", "Cat")},
    ),
    ("Dan is 15 years his wife Eva's senior.", ("Dan", "Eva"), {("Dan", "older than", "Eva")}),
    (
        "Fay is younger than Gus, but older than Hal.",
        ("Fay", "Gus", "Hal"),
        {("Fay", "older than", "Hal"), ("Fay", "younger than", "Gus")},
    ),
    (
        "The chapel was built in 1420, the town hall in 1650.",
        ("chapel", "town hall"),
        {("town hall", "younger than", "chapel")},
    ),
    ("Ivy is 12. Her cousin Jon is 14.", ("Ivy", "Jon"), {("Jon", "older than", "Ivy")}),
    ("Kai was already ten when Lou was born.", ("Kai", "Lou"), {("Kai", "older than", "Lou")}),
    ("Mia and Ned are both 41.", ("Mia", "Ned"), {("Ned", "the same age as", "Mia")}),
    ("Owen is twice as old as Pam.", ("Owen", "Pam"), {("Owen", "older than", "Pam")}),
    ("Sue is no older than Tom.", ("Sue", "Tom"), {("Sue", "the same age as|younger than", "Tom")}),
    (
        "Ursula is older than Viktor by six months.",
        ("Ursula", "Viktor"),
        {("Ursula", "older than", "Viktor")},
    ),
    ("Yves is Zoe's younger brother.", ("Yves", "Zoe"), {("Yves", "younger than", "Zoe")}),
    (
        "Although Rex is shorter, he is older than Sid.",
        ("Rex", "Sid"),
        {("Rex", "older than", "Sid")},
    ),
    ("My brother Ken (17) is younger than Liz.", ("Ken", "Liz"), {("Ken", "younger than", "Liz")}),
    ("Nora's twin, Otis, hates carrots.", ("Nora", "Otis"), {("Otis", "the same age as", "Nora")}),
    (
        "Pia, aged nine, and Quinn, aged seven, won the race.",
        ("Pia", "Quinn"),
        {("Quinn", "younger than", "Pia")},
    ),
    ("Uri was born three weeks after Vera.", ("Uri", "Vera"), {("Uri", "younger than", "Vera")}),
    (
        "Cleo is older than Dirk by a couple of years, so she drives.",
        ("Cleo", "Dirk"),
        {("Cleo", "older than", "Dirk")},
    ),
    (
        "Eve is 8 years old and her brother Finn is 11.",
        ("Eve", "Finn"),
        {("Finn", "older than", "Eve")},
    ),
    (
        "Gus, a year younger than Hal, is the captain.",
        ("Gus", "Hal"),
        {("Gus", "younger than", "Hal")},
    ),
    ("Ines is a decade older than Joel.", ("Ines", "Joel"), {("Ines", "older than", "Joel")}),
]

# Sentences that a shallow reader falls for.
TRAPS = [
    ("The younger of the two, Quinn, is taller than Ray.", ("Quinn", "Ray")),
    ("Clive looks older than Dora.", ("Clive", "Dora")),
    ("Ed claims to be older than Flo.", ("Ed", "Flo")),
    ("Gail feels ten years younger than Hank.", ("Gail", "Hank")),
    ("Ira is older than Jay was when they met.", ("Ira", "Jay")),
    ("Ken is an older friend of Liz's.", ("Ken", "Liz")),
    ("Oz's car is older than Pat's.", ("Oz", "Pat")),
    ("Tia would be older than Una by now had she lived.", ("Tia", "Una")),
    ("Ann's son is older than Bob's daughter.", ("Ann", "Bob")),
    ("Ann is an old friend of Bob.", ("Ann", "Bob")),
    ("Ann is senior to Bob in the firm.", ("Ann", "Bob")),
    ("Ann's dog is older than Bob.", ("Ann", "Bob")),
    ("Ann is older than Bob's car.", ("Ann", "Bob")),
    ("Ann is older than her brother, unlike Bob.", ("Ann", "Bob")),
    ("Ann is younger at heart than Bob.", ("Ann", "Bob")),
    ("Ann is older than Bob thought.", ("Ann", "Bob")),
    ("Ann was 30 when Bob met her.", ("Ann", "Bob")),
    ("Ann is 12th and Bob is 14th.", ("Ann", "Bob")),
    ("Ann is 34 kilos and Bob is 29 kilos.", ("Ann", "Bob")),
    ("Ann is number 4 and Bob is number 5.", ("Ann", "Bob")),
    ("Ann is 5 feet tall and Bob 6.", ("Ann", "Bob")),
    ("Ann is 5 years ahead of Bob.", ("Ann", "Bob")),
    ("Ann was born before Bob left.", ("Ann", "Bob")),
    ("Ann is an older sister to nobody but Bob.", ("Ann", "Bob")),
    ("Big Ann is taller than Bob.", ("Ann", "Bob")),
    ("Ann is Bob's old teacher.", ("Ann", "Bob")),
    ("Ann was 20 in 1990 and Bob was 25 in 2005.", ("Ann", "Bob")),
    ("Ann is 10 and Bob was 12.", ("Ann", "Bob")),
    ("In 1990 Ann was 20. In 2005 Bob was 25.", ("Ann", "Bob")),
    ("Room 12 is older than Ann.", ("Ann",)),
    ("Ann's mother is older than Bob's.", ("Ann", "Bob")),
    ("Neither Ann nor Bob is older than Cid.", ("Ann", "Bob", "Cid")),
    ("Ann and Bob are older than you think.", ("Ann", "Bob")),
    ("Ann has a twin. Bob is older than him.", ("Ann", "Bob")),
    ("Ann's elder daughter is Bob's age.", ("Ann", "Bob")),
    ("Ann will be 40 and Bob will be 50.", ("Ann", "Bob")),
    ("Ann feels 20 and Bob is 30.", ("Ann", "Bob")),
    ("Ann, 34 points, beat Bob, 29 points.", ("Ann", "Bob")),
    ("Ann is twins with nobody, and Bob is old.", ("Ann", "Bob")),
    ("Ann told Beth that she is older than Cid.", ("Ann", "Beth", "Cid")),
    ("Ann met Beth. She is older than Cid.", ("Ann", "Beth", "Cid")),
    ("Abe is about as old as Bea.", ("Abe", "Bea")),
]

# To be put under every operator.
PLAIN = [
    "Ann is older than Bob",
    "Ann is two years younger than Bob",
    "Ann is the same age as Bob",
    "Ann is 34 and Bob is 29",
    "Ann and Bob are twins",
    "Ann was born in 1950 and Bob in 1960",
]


@pytest.mark.parametrize(("text", "names", "facts"), READ)
def test_ordinary_sentences_are_read(text: str, names: tuple[str, ...], facts: Told) -> None:
    assert told(text, "order", names) == facts


@pytest.mark.parametrize(("text", "names"), TRAPS)
def test_traps_state_nothing(text: str, names: tuple[str, ...]) -> None:
    assert not told(text, "order", names)


@pytest.mark.parametrize("sentence", PLAIN)
def test_an_operator_takes_an_assertion_away(sentence: str) -> None:
    assert told(under("{S}.", sentence), "order")
    for operator in OPERATORS:
        assert not told(under(operator, sentence), "order"), operator
