"""The claims of a reply: what it says of two entities of a story on its way to an answer.

prose      the reply as plain sentences, each with its place                Prose
notations  arrows, equations, tables and the like, as what they say         NotationReader
discourse  what a reply supposes, and what it takes back later on
reader     all of it, read by the reader of stories                        ClaimReader
"""

from clutrr._score.claims.reader import ClaimReader

__all__ = ["ClaimReader"]
