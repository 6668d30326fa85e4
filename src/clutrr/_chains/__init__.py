"""Chains: solutions in numbered steps, each judged, of which the first wrong one is known.

    truth.py    what the story says to a claim, and what follows from claims by one composition
    proofs.py   a puzzle to an argument: claims, each from earlier ones, in several orders
    slips.py    one error put into an argument, and what follows from it
    wording.py  an argument as the text of its steps, in the styles of `words/`
    make.py     puzzles to chains
    folder.py   chains as a data set; the formats of others
    read.py     chains read back

What words a chain shares nothing with what reads one: no text of `words/` is in a grammar of the reader.
"""
