"""`agenda`: a rule-based user without a model: a wish told bit by bit, patience, mood and manners."""

from mysteryshopper.users.agenda.options import AgendaOptions
from mysteryshopper.users.agenda.rating import satisfaction
from mysteryshopper.users.agenda.user import AgendaUser

__all__ = ["AgendaOptions", "AgendaUser", "satisfaction"]
