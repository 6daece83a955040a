"""Words so common in talk about what to watch, read or buy that a title made of them alone is no sign of a title."""

_COMMON = """
a about after again all almost alone along already always am an and another any anybody anyone anything are around
as at away back bad be because been before best better big bit both boy boys but by call can check checking come
coming could crime day days did different do does doing done down each early else end enough epic even ever every
everybody everyone everything family far fast few film films find fine first for free friend friends from fun funny
gang get getting ghost girl girls give go going good got great guy guys had happy hard has have he heard hello help
her here hi high him his home hope horror house how i idea if in into is it its just keep kid kids kind know last
late laugh let life like liked little live long look looking lost lot lots love loved made main make man many
maybe me men might mind more most movie movies much must my name need never new next nice night no nobody not
nothing now of off ok okay old on once one only or other our out over own part party past people place play please
plot pretty quite real really ride right road romantic sad said same saw say scary school see seen set she
should show side since so some somebody someone something somewhere soon sorry start still story stuff such
superhero sure take talk than thank thanks that the their them then there these they thing things think this those
though time times to today together told tomorrow tonight too top trip true try trying two under until up us used
very wait want war was watch watched watching way we week well were what when where which while who why wife will
wish with woman women wonderful word work world worth would wow year years yes yet you young your
"""
_REPLIES = """
again always amazing awesome bye cool fun good goodbye great haha hello help hey hi maybe never nice no none nope
nothing ok okay perfect please right something sorry sure thanks true welcome what why wow yep yes yup
"""

COMMON_WORDS = frozenset(_COMMON.split())
"""Our own list, of about three hundred words; a title of nothing else needs capitals, quotes or its year."""

REPLIES = frozenset(["anything else", "thank you", *_REPLIES.split()])
"""What is a whole answer without naming anything; as titles they need quotes or their year."""
