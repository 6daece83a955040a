"""iEvaLM, interactive evaluation of conversational recommenders (Wang et al., EMNLP 2023), in three settings.

The unit is one recommending turn of a dialogue between people: everything said before it is given, and the items that
the human recommender named in that turn are the targets. In `original` the system ranks once and nobody is simulated;
in `free` a simulated user, who knows attributes of the targets and never their titles, chats with it; in `attribute`
it asks for attributes, and templates answer.
"""

from mysteryshopper.protocols.ievalm.options import IEvaLMOptions
from mysteryshopper.protocols.ievalm.procedure import IEvaLM

__all__ = ["IEvaLM", "IEvaLMOptions"]
