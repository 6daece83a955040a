"""Public helpers for tests: a fake server that commits faults, scripted parts, and conformance checks.

Made for the tests of this package and of plug-ins alike. `python -m mysteryshopper.testing.server` runs the fake server
as a program.
"""

from mysteryshopper.models import ScriptedModel
from mysteryshopper.testing.behaviours import BEHAVIOURS, Behaviour, Outcome, Seen, named
from mysteryshopper.testing.fake import FakeServer, Recorded
from mysteryshopper.testing.faults import FAULTS, TRANSIENT, Fault
from mysteryshopper.testing.judging import check_judge, check_model
from mysteryshopper.testing.process import ServerProcess
from mysteryshopper.testing.replies import DOORS, Reply
from mysteryshopper.testing.systems import check_system
from mysteryshopper.testing.users import check_user
from mysteryshopper.testing.vectors import ScriptedEmbedder, hash_vector

__all__ = [
    "BEHAVIOURS",
    "DOORS",
    "FAULTS",
    "TRANSIENT",
    "Behaviour",
    "FakeServer",
    "Fault",
    "Outcome",
    "Recorded",
    "Reply",
    "ScriptedEmbedder",
    "ScriptedModel",
    "Seen",
    "ServerProcess",
    "check_judge",
    "check_model",
    "check_system",
    "check_user",
    "hash_vector",
    "named",
]
