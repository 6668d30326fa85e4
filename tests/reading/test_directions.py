"""Directions in ordinary sentences: what is read, and what is not."""

import pytest
from telling import OPERATORS, Told, told, under

READ: list[tuple[str, tuple[str, ...], Told]] = [
    (
        "Aberfoyle is about three miles north-west of Balfron.",
        ("Aberfoyle", "Balfron"),
        {("Aberfoyle", "north-west of", "Balfron")},
    ),
    (
        "The town lies 12 km south of Trier and 30 km east of Arlon.",
        ("town", "Trier", "Arlon"),
        {("town", "east of", "Arlon"), ("town", "south of", "Trier")},
    ),
    ("To the east of the barn stands the silo.", ("barn", "silo"), {("silo", "east of", "barn")}),
    (
        "If you walk north from the church for five minutes, you reach the mill.",
        ("church", "mill"),
        {("mill", "north of", "church")},
    ),
    (
        "North of Kendal is Penrith, and north of Penrith is Carlisle.",
        ("Kendal", "Penrith", "Carlisle"),
        {("Carlisle", "north of", "Penrith"), ("Penrith", "north of", "Kendal")},
    ),
    (
        "Chad is bordered by Libya to the north, Sudan to the east and Niger to the west.",
        ("Chad", "Libya", "Sudan", "Niger"),
        {("Libya", "north of", "Chad"), ("Niger", "west of", "Chad"), ("Sudan", "east of", "Chad")},
    ),
    (
        "The bakery is east of the bank; the florist is west of it.",
        ("bakery", "bank", "florist"),
        {("bakery", "east of", "bank"), ("florist", "west of", "bank")},
    ),
    (
        "Carlow, a small market town 80 km south-west of Dublin, has a fine castle.",
        ("Carlow", "Dublin"),
        {("Carlow", "south-west of", "Dublin")},
    ),
    (
        "The red cube is to the left of the blue sphere and below the green cone.",
        ("red cube", "blue sphere", "green cone"),
        {("red cube", "south of", "green cone"), ("red cube", "west of", "blue sphere")},
    ),
    (
        "Both Selby and Goole lie south-east of York.",
        ("Selby", "Goole", "York"),
        {("Goole", "south-east of", "York"), ("Selby", "south-east of", "York")},
    ),
    (
        "Ripon lies further north than Leeds.",
        ("Ripon", "Leeds"),
        {("Ripon", "north of|north-east of|north-west of", "Leeds")},
    ),
    (
        "The pharmacy isn't east of the school but west of it.",
        ("pharmacy", "school"),
        {("pharmacy", "west of", "school")},
    ),
    (
        "Situated due west of Ghent, Bruges is famous for its canals.",
        ("Ghent", "Bruges"),
        {("Bruges", "west of", "Ghent")},
    ),
    (
        "The well is south of the tower and the gate north of it.",
        ("well", "tower", "gate"),
        {("gate", "north of", "tower"), ("well", "south of", "tower")},
    ),
    (
        "Our hotel was south of the harbour, which is south of the cathedral.",
        ("hotel", "harbour", "cathedral"),
        {("harbour", "south of", "cathedral"), ("hotel", "south of", "harbour")},
    ),
    (
        "Directly below the mirror is the shelf.",
        ("mirror", "shelf"),
        {("shelf", "south of", "mirror")},
    ),
    (
        "The library has the museum to its south and the theatre to its east.",
        ("library", "museum", "theatre"),
        {("museum", "south of", "library"), ("theatre", "east of", "library")},
    ),
    ("From Oban, Mull lies to the west.", ("Oban", "Mull"), {("Mull", "west of", "Oban")}),
    ("Mali's eastern neighbour is Niger.", ("Mali", "Niger"), {("Niger", "east of", "Mali")}),
    (
        "Turku is not east of Helsinki; it's west of it.",
        ("Turku", "Helsinki"),
        {("Turku", "west of", "Helsinki")},
    ),
    (
        "The camp is a mile or so north of the lake.",
        ("camp", "lake"),
        {("camp", "north of", "lake")},
    ),
    (
        "It is well known that Perth is west of Sydney.",
        ("Perth", "Sydney"),
        {("Perth", "west of", "Sydney")},
    ),
    (
        "The farm sits on the road two miles east of Dunmore.",
        ("farm", "Dunmore"),
        {("farm", "east of", "Dunmore")},
    ),
    ("The cinema is on the left of the bank.", ("cinema", "bank"), {("cinema", "west of", "bank")}),
    (
        "Station B is east, no, west of Station A.",
        ("Station A", "Station B"),
        {("Station B", "west of", "Station A")},
    ),
    (
        "The tree is south of the pond. The bench is south of the tree. It is painted green.",
        ("tree", "pond", "bench"),
        {("bench", "south of", "tree"), ("tree", "south of", "pond")},
    ),
    (
        "Lyon, in eastern France, is north of Marseille.",
        ("Lyon", "Marseille"),
        {("Lyon", "north of", "Marseille")},
    ),
    (
        "Ten steps north of the oak you will find the well.",
        ("oak", "well"),
        {("well", "north of", "oak")},
    ),
    ("The island of Sylt is north of Amrum.", ("Sylt", "Amrum"), {("Sylt", "north of", "Amrum")}),
    (
        "Alton, Burley and Cray all lie east of Dunn.",
        ("Alton", "Burley", "Cray", "Dunn"),
        {("Alton", "east of", "Dunn"), ("Burley", "east of", "Dunn"), ("Cray", "east of", "Dunn")},
    ),
    (
        "You'll find the café just north of the post office.",
        ("café", "post office"),
        {("café", "north of", "post office")},
    ),
    (
        "Ghana shares its western border with Ivory Coast.",
        ("Ghana", "Ivory Coast"),
        {("Ivory Coast", "west of", "Ghana")},
    ),
    (
        "The lighthouse is situated on a cliff some two kilometres west of Port Ellen.",
        ("lighthouse", "Port Ellen"),
        {("lighthouse", "west of", "Port Ellen")},
    ),
    (
        "Nantes, which is south-west of Angers, is also west of Tours.",
        ("Nantes", "Angers", "Tours"),
        {("Nantes", "south-west of", "Angers"), ("Nantes", "west of", "Tours")},
    ),
    (
        "Heading due west from Denton, we reached Marlow.",
        ("Denton", "Marlow"),
        {("Marlow", "west of", "Denton")},
    ),
    (
        "The green box is above the red box, which is above the blue box.",
        ("green box", "red box", "blue box"),
        {("green box", "north of", "red box"), ("red box", "north of", "blue box")},
    ),
    (
        "Bern is to the south of Basel and to the east of Fribourg.",
        ("Bern", "Basel", "Fribourg"),
        {("Bern", "east of", "Fribourg"), ("Bern", "south of", "Basel")},
    ),
    ("There is a chapel north of the farm.", ("chapel", "farm"), {("chapel", "north of", "farm")}),
    (
        "The village of Aldham lies about 7 miles (11 km) west of Colchester.",
        ("Aldham", "Colchester"),
        {("Aldham", "west of", "Colchester")},
    ),
    (
        "Immediately to the north of the palace is the theatre; the museum lies to the south of it.",
        ("palace", "theatre", "museum"),
        {("theatre", "north of", "palace")},
    ),
    (
        "Paraguay borders Brazil to the east and Bolivia to the north.",
        ("Paraguay", "Brazil", "Bolivia"),
        {("Bolivia", "north of", "Paraguay"), ("Brazil", "east of", "Paraguay")},
    ),
    (
        "Cell 4 is directly right of cell 3.",
        ("Cell 4", "cell 3"),
        {("Cell 4", "east of", "cell 3")},
    ),
]

# Sentences that a shallow reader falls for.
TRAPS = [
    (
        "The diner is halfway down the street, right next to the bank, not north of it.",
        ("diner", "bank"),
    ),
    ("I was told the cabin is north of the creek.", ("cabin", "creek")),
    ("We drove north of Lille and then turned left at Ghent.", ("Lille", "Ghent")),
    ("The old map wrongly puts Vinland south of Markland.", ("Vinland", "Markland")),
    ("The fort used to stand east of the bridge.", ("fort", "bridge")),
    ("Winds from the north of Oslo reached Bergen.", ("Oslo", "Bergen")),
    ("The gym is east of the pool? No, I don't think so.", ("gym", "pool")),
    ("The kiosk will be moved south of the fountain.", ("kiosk", "fountain")),
    ("In the legend, Avalon lies west of Lyonesse.", ("Avalon", "Lyonesse")),
    ("Leeds is as far north as Hull.", ("Leeds", "Hull")),
    ("Leeds is far from north of Hull.", ("Leeds", "Hull")),
    ("Leeds is nowhere near north of Hull.", ("Leeds", "Hull")),
    ("The inn is on the north side of the square.", ("inn", "square")),
    ("When seen from the north, the inn is left of the mill.", ("inn", "mill")),
    ("Leeds is north of a town called Hull.", ("Leeds", "Hull")),
    ("Leeds is north of the road to Hull.", ("Leeds", "Hull")),
    ("Leeds is north of where Hull used to be.", ("Leeds", "Hull")),
    ("Leeds is not only north of Hull.", ("Leeds", "Hull")),
    ("The road north of Leeds leads to Hull.", ("Leeds", "Hull")),
    ("The inn north of Leeds is older than Hull.", ("Leeds", "Hull")),
    ("The train left the station for Hull.", ("station", "Hull")),
    ("The vicar of Leeds lives south of Hull.", ("Leeds", "Hull")),
    ("Leeds United finished above Hull City.", ("Leeds", "Hull")),
    ("Leeds is north of Hull's station.", ("Leeds", "Hull")),
    ("Leeds is neither north nor south of Hull.", ("Leeds", "Hull")),
    ("Leeds lies almost north of Hull.", ("Leeds", "Hull")),
    ("The way from Leeds to Hull is to the east.", ("Leeds", "Hull")),
    ("Leeds is five miles from Hull, north of the river.", ("Leeds", "Hull")),
    ("Leeds is north of Hull on this fake map.", ("Leeds", "Hull")),
    ("A man from Leeds stands north of the mill.", ("Leeds", "mill")),
    ("The friend of Ann stands left of Bob.", ("Ann", "Bob")),
    ("Ann's friend stands left of Bob.", ("Ann", "Bob")),
    ("The statue of Leeds is north of the mill.", ("Leeds", "mill")),
    ("Half of Leeds lies north of Hull.", ("Leeds", "Hull")),
    ("No part of Leeds lies north of Hull.", ("Leeds", "Hull")),
    ("Only the suburbs of Leeds are north of Hull.", ("Leeds", "Hull")),
    ("The name Leeds is north of Hull on the list.", ("Leeds", "Hull")),
    ("Everything north of Leeds is south of Hull.", ("Leeds", "Hull")),
    ("The new Leeds will be north of Hull.", ("Leeds", "Hull")),
    ("The airport of Leeds is east of Hull.", ("Leeds", "Hull")),
    ("Little Leeds is north of Hull.", ("Leeds", "Hull")),
    ("New Leeds is north of Hull.", ("Leeds", "Hull")),
    ("Leeds was once north of Hull.", ("Leeds", "Hull")),
    ("Leeds and its suburbs north of Hull are rich.", ("Leeds", "Hull")),
    ("The fire moved north of Leeds to Hull.", ("Leeds", "Hull")),
    ("We stopped in Leeds, then went north of Hull.", ("Leeds", "Hull")),
    ("In front of the inn is the mill.", ("inn", "mill")),
    ("The mill is behind and to the left of the inn.", ("mill", "inn")),
    ("The border of Leeds lies north of Hull.", ("Leeds", "Hull")),
    ("Our tent is pitched right below the cabin, to its south-east.", ("tent", "cabin")),
    ("The depot is somewhere east of the river, I guess.", ("depot", "river")),
]

# To be put under every operator.
PLAIN = [
    "Leeds is north of Hull",
    "the mill stands south of the church",
    "the red cube is to the left of the blue cube",
    "York lies 5 km east of Bath",
    "north of York is Bath",
    "Leeds borders York to the north",
]


@pytest.mark.parametrize(("text", "names", "facts"), READ)
def test_ordinary_sentences_are_read(text: str, names: tuple[str, ...], facts: Told) -> None:
    assert told(text, "directions", names) == facts


@pytest.mark.parametrize(("text", "names"), TRAPS)
def test_traps_state_nothing(text: str, names: tuple[str, ...]) -> None:
    assert not told(text, "directions", names)


@pytest.mark.parametrize("sentence", PLAIN)
def test_an_operator_takes_an_assertion_away(sentence: str) -> None:
    assert told(under("{S}.", sentence), "directions")
    for operator in OPERATORS:
        assert not told(under(operator, sentence), "directions"), operator
