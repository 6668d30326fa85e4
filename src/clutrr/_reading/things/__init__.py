"""Reading about things: places, events, regions, and people by age.

What a sentence says is a row of ties: one thing is one of some kinds to another. Ties of the same two things are
combined, points of time are compared on a line, and values (dates, clock times, ages) with each other.

    meaning.py     what words mean before anybody knows what they are about
    actions.py     what rules of the grammars mean
    endpoints.py   the relations of time that constraints on beginnings and ends leave
    scales.py      dates, clock times and ages
    gaps.py        the open slots
    naming.py      which words name things
    discourse.py   what pronouns stand for, and from ties to statements
    reader.py      the reader of a world
"""
