"""Stories with their sentences: many at once."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa


@dataclass(frozen=True)
class Stories:
    """Stories and their sentences, one story's after the other's.

    sentences: how many each story has. start, end: of each sentence, in characters. facts: the numbers of
    the facts that the sentences state; stated: how many each does.
    """

    text: pa.StringArray
    sentences: npt.NDArray[np.int32]
    start: npt.NDArray[np.int32]
    end: npt.NDArray[np.int32]
    facts: npt.NDArray[np.int32]
    stated: npt.NDArray[np.int32]
