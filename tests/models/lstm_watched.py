"""Runs one kernel of lstm_on_cpu.cpp in a process of its own, under a sanitizer that is loaded before Python.

Standard input: pickled, the library, the name of the kernel, its warps and grid, and what is given to it:
ints, and bytes in place of tensors. Standard output: the bytes as the kernel left them. Each tensor has
exactly the room that it needs, so the sanitizer sees whatever is read or written beside it.
"""

import ctypes
import pickle
import sys

malloc = ctypes.CDLL(None).malloc
malloc.restype, malloc.argtypes = ctypes.c_void_p, [ctypes.c_size_t]

library, name, launch, given = pickle.load(sys.stdin.buffer)
places: list[int] = []
for value in given:
    places.append(malloc(len(value)) if isinstance(value, bytes) else value)
    if isinstance(value, bytes):
        ctypes.memmove(places[-1], value, len(value))
arguments = [
    ctypes.c_void_p(place) if isinstance(value, bytes) else place
    for place, value in zip(places, given, strict=True)
]
getattr(ctypes.CDLL(library), f"run_{name}")(*launch, *arguments)
left = [
    ctypes.string_at(place, len(value))
    for place, value in zip(places, given, strict=True)
    if isinstance(value, bytes)
]
pickle.dump(left, sys.stdout.buffer)
