"""Two plugins in the simple form: a score and a constraint."""

from tenantry_example_plugins.cheap_first import CheapFirst
from tenantry_example_plugins.licence_seats import LicenceSeats

__all__ = ["CheapFirst", "LicenceSeats"]
