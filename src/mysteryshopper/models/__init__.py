"""Chat models, HTTP systems and all that lies between them and the wire.

A block of the experiment file (`ModelBlock`) becomes a provider's `Sender`, which the recording layer wraps: cache key,
seed, budget and record are the same for all. HTTP goes through one gate for each endpoint. `Models` holds what one run
has open. Only what opens connections imports aiohttp.
"""

from mysteryshopper.models.block import FromEnv, ModelBlock, Price, check_headers, check_url
from mysteryshopper.models.budget import Budget, Reservation, check_priced, cost
from mysteryshopper.models.cache import SharedCache, cache_folder
from mysteryshopper.models.gate import Gate
from mysteryshopper.models.limits import CallLimits
from mysteryshopper.models.masking import Secrets, is_variable, looks_secret, secret_param
from mysteryshopper.models.pool import MODELS, Models
from mysteryshopper.models.record import RecordedModel, Recorder
from mysteryshopper.models.replies import chat_reply, quality, read_json_body
from mysteryshopper.models.scripted import ScriptedModel
from mysteryshopper.models.sending import Prepared, Sender, SimpleSender, Tally
from mysteryshopper.models.wire import request_body

__all__ = [
    "MODELS",
    "Budget",
    "CallLimits",
    "FromEnv",
    "Gate",
    "ModelBlock",
    "Models",
    "Prepared",
    "Price",
    "RecordedModel",
    "Recorder",
    "Reservation",
    "ScriptedModel",
    "Secrets",
    "Sender",
    "SharedCache",
    "SimpleSender",
    "Tally",
    "cache_folder",
    "chat_reply",
    "check_headers",
    "check_priced",
    "check_url",
    "cost",
    "is_variable",
    "looks_secret",
    "quality",
    "read_json_body",
    "request_body",
    "secret_param",
]
