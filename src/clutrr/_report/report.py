"""An experiment, shown."""

from clutrr._arguments import LocationLike, public
from clutrr._io.locations import parse_location
from clutrr._report.experiment import Experiment
from clutrr._report.loading import load_experiment
from clutrr._report.write import write_report


@public
def report(place: LocationLike, *more: LocationLike, to: LocationLike | None = None) -> Experiment:
    """Return the results that folders and files hold, together, as an experiment.

    - place, more: folders of `reproduce`, also parts of one experiment; runs that were evaluated; files and
      folders of `evaluate`, `score` and `report`
    - to: a folder to write its report into: table, figures and page
    """
    found = load_experiment(*map(parse_location, (place, *more)))
    if to is not None:
        write_report(found, parse_location(to))
    return found
