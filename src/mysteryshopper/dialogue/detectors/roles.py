"""A user who does the system's job, speaks as the system, or writes both sides."""

from __future__ import annotations

import re

from mysteryshopper.dialogue.detectors.cues import judged
from mysteryshopper.dialogue.detectors.patterns import SCREEN
from mysteryshopper.dialogue.detectors.scoring import scorers
from mysteryshopper.dialogue.detectors.utterance import Utterance

_ANY = re.IGNORECASE

_SERVES = r"""
      (?:how|what)\ (?:can|may|could|might)\ i\ (?:help|assist|do\ for)\b
    | (?:happy|pleased|delighted|glad)\ to\ (?:help|assist|suggest|recommend)\b
    | (?:here|able|like|love|glad)\ to\ (?:help|assist)\ you\b
    | glad\ (?:that\ )?i\ (?:could|can|was\ able\ to)\ (?:help|assist|be\ of)\b
    | (?:anything|something)\ else\ (?:that\ )?(?:i\ can|can\ i|you'd\ like|you\ would\ like|you\ need)\b
    | hesitate\ to\b | glad\ (?:that\ )?you\ (?:found|liked|like|enjoyed|asked)\b
    | feel\ free\ to\ (?:ask|reach|let|tell|come)\b
    | (?:come\ back|return)\ any\ ?time\b | any\ ?time\ you\ need\b
    | let\ me\ know\ (?:if|whether|when|what|which)\ you(?:'d|\ would|\ want|\ need|\ have|\ prefer|'re|\ are)\b
    | (?:to|not)\ your\ (?:liking|list|taste|watch\ ?list)\b | if\ i\ were\ you\b | important\ (?:to|for)\ you\b
    | (?:leave|rule|filter|keep|take)\ (?:them|it|that|those|these)\ out\ for\ you\b | so\ far\ you(?:'ve
            |\ have)?\b
    | what\ are\ you\ (?:hoping|looking|planning|up\ for|after|craving)\b | how\ (?:would|do)\ you\ feel\ about\b
    | (?:thanks|thank\ you)\ for\ (?:reaching|contacting|sharing|providing|clarifying|the\ clarification
            |your\ (?:patience|question|request|interest))\b
    | (?:great|glad|happy|good|nice|wonderful)\ to\ hear\ (?:that\ )?you\b
    | i(?:'ll|\ will)\ (?:do\ the\ rest|note\ that|remember\ that|keep\ (?:that|this|your)|take\ that\ into)\b
            (?!\ in\ mind)
    | before\ i\ (?:suggest|recommend)\b
    | (?:have|enjoy)\ (?:a\ )?(?:\w+\ )?(?:time\ watching|viewing|screening)\b | how\ (?:does
            |did)\ that\ sound\b
    | hope\ (?:this|these|that|those)\ (?:help|suggestions|recommendations)\b
"""
_OFFERS = r"""
      here(?:'s|\ is|\ are)\ (?:my|some|a\ few|a\ couple|several|an?|two|three|four|five|\d+)\b[^.?!\n]{0,40}
        \b(?:for\ you|suggestions?|recommendations?|options?|picks|films?|movies?|titles|books?|you\ (?:might|may
                |could))\b
    | (?:would|do)\ you\ (?:like|want)\ (?:me\ to|more\b|another\ (?:one|suggestion|recommendation|option)
            |other\ (?:suggestions|options)
        |some\ (?:suggestions|recommendations)|to\ (?:hear|know)\ more)
    | (?:shall|should)\ i\ (?:suggest|recommend|tell|look|find|search|show|give)\b
    | based\ on\ (?:your|that|those|this|what\ you)\b
    | (?:if|since|as)\ you(?:'re|\ are)?\ (?:really\ |also\ )?(?:like|liked|enjoy|enjoyed|love|into|looking\ for
            |in\ the\ mood\ for|want|prefer)\b
        [^.?!\n]{0,60}?,?\ (?:then\ )?(?:you(?:'ll|'d|\ will|\ would|\ might|\ may|\ could|\ should|\ can)|i(?:'d
                |\ would|\ can)?\ (?:suggest|recommend)|try\b|check\ out)
    | you\ (?:might|may)\ (?:also\ |really\ )?(?:enjoy|like|love|want\ to\ (?:try|watch|check|see|consider)
            |be\ interested)\b
    | i\ think\ you(?:'d|\ would|'ll|\ will)\ (?:really\ |also\ )?(?:enjoy|like|love)\b
    | (?:picks|recommendations?|suggestions?|options|titles|films|movies|something|list)\ (?:in\ mind\ )?for\ you\b
    | let\ me\ (?:find|search|look\ for|suggest|recommend|pull\ up|show\ you|offer)\b
    | i(?:'d|\ would|\ can|\ could|'ll|\ will)\ (?:also\ |definitely\ |highly\ |then\ )?(?:suggest
            |recommend)\b(?!\ (?:it|that|this|them)\b)
    | i\ (?:suggest|recommend)\ (?:you\b|giving|trying|watching)
    | (?:does|do|will)\ (?:that|this|these|any\ of\ (?:these|those))\ (?:work|sound\ good|interest
            |appeal)\b[^.?!\n]{0,12}\?
    | (?:are|as)\ my\ (?:\w+\ )?(?:suggestions?|recommendations?|picks?)\b | fans\ of\b[^.?!\n]{0,40}\b(?:adore
            |love|like|enjoy|rate|usually|often)\b
    | (?:may|might|could|can)\ i\ (?:\w+\ )?(?:suggest|recommend|offer|propose|interest)\b
            | have\ you\ (?:thought\ (?:about|of)|considered)\b
    | you\ (?:might|may|could|can|would)\ (?:also\ |even\ |then\ )?(?:consider|find|appreciate|try|prefer
            |be\ happy)\b
    | (?:perhaps|maybe)\ (?:\S+\ ){1,6}instead\b | ticks?\ (?:every|all|the)\b
    | (?:another|a\ second|a\ different|one\ more|a\ further|the\ next|other|some)\ (?:\w+\ )?(?:option|idea
            |suggestion|pick|choice|title|recommendation)s?\ (?:is|are|would|could|might|to)\b
    | i(?:\ also|\ really|\ highly|\ strongly|\ definitely)?\ (?:suggest|recommend)\ (?!it\b|that\b|this\b|them\b
            |those\b|to\ \w+\ it)\S
    | my\ (?:top\ |first\ |next\ |second\ |other\ |personal\ |best\ )?(?:recommendations?|suggestions?|picks?
            |advice)\ (?:for|would|is|are|to)\b
    | (?:shall|should|can|may)\ (?:we|i)\ (?:\w+\ ){0,2}(?:look|find|search|go|continue|narrow|explore|tell|give
            |show|send|add|check|play|put|book|help)\b
    | would\ (?:something|anything|an?\ \w+|that|this|these)\ (?:\w+\ ){0,6}(?:interest|appeal|suit|work|do
            |be\ (?:okay|ok|fine|good|of))\b
    | (?:interest|interests|appeal\ to|appeals\ to|suit|suits|please|delight|intrigue|tempt|surprise)\ you\b
    | (?:thing|idea|one|option|gem|title|match|choice|film|movie|pick)s?\ for\ you\b | just\ (?:the
            |what)\ (?:thing|you)\b | the\ (?:right|perfect)\ (?:film|movie|thing|one|pick)\ (?:for\ you|here|then)\b
    | (?:people|viewers|fans|those|others|users|everyone)\ who\ (?:like|liked|enjoy|enjoyed|love|loved|watch
            |watched)\b | other\ (?:\w+\ )?(?:viewers|fans|users)\b
    | (?:do\ you\ )?want\ (?:the|to\ (?:see|hear)\ (?:the|more|another)|another|more|a\ (?:list|link|few
            |short))\ ?[^.!\n]{0,30}\?
    | (?:would|do)\ you\ (?:rather|prefer|mind)\b | would\ you\ (?:be\ interested|be\ open|consider)\b
    | you\ should\ (?:definitely|really|absolutely|certainly)\ (?:see|watch|try|check|give)\b | i\ can\ (?:give
            |offer|suggest|find|show|recommend)\ (?:you|a\ few|some)\b
    | you(?:\ haven't|\ have\ not)\ mentioned\b | you\ (?:told\ me|said)\ (?:that\ )?you\b | here(?:'s
            |\ is)\ (?:another|one|something)\b
    | which\ (?:one\ )?(?:of\ (?:these|those|them)\ )?(?:one\ )?(?:sounds|appeals|interests|would\ you)\b
"""
_ELICITS = r"""
      your\ (?:movie\ |film\ )?(?:preferences?|tastes?|interests)\b
    | (?:you\ have|any|other|more|what)\ (?:\w+\ ){0,3}?preferences?\b
    | you\ interested\ in\b | would\ you\ like\ (?:\w+\ )?(?:recommendations?|suggestions?)\b
    | (?:may|could|can)\ i\ (?:know|ask)\b[^.?!\n]{0,30}\byour?\b
    | (?:could|can|would|please)\ (?:you\ )?(?:please\ )?(?:tell|share|give)\ (?:me|with\ me)\ (?:a\ (?:bit
            |little)\ )?(?:more\ )?(?:about\ )?(?:what|which|your)\b
        [^.?!\n]{0,40}\b(?:you|favou?rite|like)\b
    | tell\ me\ (?:the\ (?:kind|type|sort|genre)|what\ (?:kind|type|sort|genre|you|mood)|which(?!\ one|\ of)
            |how\ (?:you|much
            |long)|whether|who|if\ you)\b
    | (?:who|whom)\ (?:is|are|will|would|do)\b[^?\n]{0,30}\bwatch\w*\b[^?\n]{0,20}\bwith\b | how\ (?:much|long
            |old)\b[^?\n]{0,20}\b(?:time|do\ you\ have|should\ it\ be)\b[^?\n]{0,20}\?
    | tell\ me\ (?:a\ (?:bit|little)\ )?(?:more\ )?about\ (?:what\ you|your)\b
    | to\ (?:narrow|help|give|find|better)\b[^.?!\n]{0,30}\b(?:you|it\ down|recommend\w*)\b[^.?!\n]{0,20},
    | (?:what|which)\ (?:kinds?|types?|sorts?|genres?)\b[^.?!\n]{0,30}\bdo\ you\ (?:usually|normally|typically
            |prefer)\b
"""
_PHRASES = {
    name: SCREEN.pattern(rf"\b(?:{phrases})")
    for name, phrases in (("serves", _SERVES), ("offers", _OFFERS), ("elicits", _ELICITS))
}


_NONHUMAN = (
    r"(?:ai|a\.i\.|artificial\ intelligence|(?:language|ai|learning)\ model|neural\ \w+|llm|chat\ ?bot"
    r"|computer(?:\ program)?|software"
    r"|program|machine|automated\ \w+"
    r"|virtual\ \w+|assistant|recommender|recommendation\ (?:system|engine|agent|assistant|bot|service)|\w+\ ?bot"
    r"|bot|algorithm)"
)
_SPEAKERS = (
    r"(?:assistant|system|recommender|(?:\w{1,12}\ ?)?bot|ai|(?:ai\ |recommendation\ |support\ )?agent|adviser"
    r"|advisor|consultant|model"
    r"|response|gpt|chat\ ?gpt|clerk|seller|expert|recommendation\ system|crs|operator|host|helper|librarian"
    r"|guide|specialist|concierge|staff|employee|shop|store|service|counsell?or|curator|llm|claude"
    r"|gemini|copilot|cinephile|interviewer|movie\ (?:guru|buff|friend)"
    r"|salesperson|sys|movie\ expert)"
)
_SEEKERS = (
    r"(?:user|human|me|you|seeker|customer|client|shopper|visitor|guest|caller|viewer|buyer|person|q"
    r"|asker|moviegoer|consumer|patron|usr"
    r"|speaker|i|fan|requester|participant|inquirer|interviewee)"
)
_OPEN, _CLOSE = r"[\"'“*\[<({|#_=>~-]", r"[\"'”*\])>}|_=~]"

_SPEAKS = SCREEN.pattern(
    rf"""
    \b(?:
      (?:as|being|since\ i(?:'m|\ am)|because\ i(?:'m|\ am)|i(?:'m|\ am|,)|this\ is|here\ is|me|we\ are)\ (?:only[ ]
            |just\ |also\ |merely\ |simply\ |really\ |as\ )?
            (?:an?|the|your|one)\ (?:[\w'-]+\ ){{0,4}}?{_NONHUMAN}\b(?!\ (?:movie|film|person|lover|fan|buff|nerd|geek))
    | i(?:'m|\ am)\ (?:not\ (?:an?\ |really\ an?\ )?(?:human|real\ person|person)\b|artificial\b|programmed\b
            |automated\b)
    | i(?:\ do\ not|\ don't|\ cannot|\ can't|\ have\ no|\ lack)\ (?:actually\ )?(?:have\ |watch\ |hold[ ]
            |form\ )?(?:any\ )?
            (?:personal|real|actual|human|physical|own)\ (?:preferences?|experiences?|opinions?|feelings?|tastes?
            |emotions?|body)\b
    | my\ (?:training|developers?|creators?|makers|programming|programmers?|knowledge\ (?:cut-?off|only|base
            |is\ limited|ends)|database|catalogue?|model|algorithms?|servers?)\b
    | i\ (?:was|am|have\ been|'ve\ been)\ (?:trained|programmed|designed|built|developed|created)\ (?:on|to|by|with
            |using|for|as)\b | your\ (?:\w+\ ){{0,2}}?(?:ai|bot|chat\ ?bot|virtual|digital|automated)\b
    | (?:don't|do\ not|cannot|can't
            |have\ no|lack)\ (?:have\ )?(?:a\ |any\ )?(?:body|eyes|senses|emotions|feelings|consciousness|memories)\b
    | in\ our\ (?:catalogue?|database|collection|library|system)\b | (?:open\ ?ai|anthropic|chat\ ?gpt|gpt-\d\w*)\b
    | (?:made|built|trained|created|developed)\ by\ (?:google|meta
            |microsoft|mistral)\b | real-?\ ?time\ (?:data|information|access|updates?)\b
    | (?:browse|access|search)\ the\ (?:internet|web)\b
    | (?:access\ to|check|see)\ (?:the\ internet|current\ (?:data|information|listings)|your\ (?:viewing|watch))\b
    | training\ data\b | knowledge\ cut-?\ ?off\b | content\ policy\b | (?:safety|ethical)\ guidelines\b
    | how\ (?:can|may|could|might)\ i\ (?:help|assist|be\ of)\b | (?:here|able|happy|glad)\ to\ assist\b
    | assist(?:ing)?\ (?:you|users|people|others)\b | (?:help|helping)\ users\b
    | (?:can't|cannot|can\ not|unable\ to|not\ able\ to)\ (?:assist|fulfil+|comply|provide\ (?:that|this|such)|help
            \ (?:you\ )?with\ th(?:at|is))\b | (?:the\ way|like|as|unlike)\ (?:a\ )?humans?\b
    | my\ (?:capabilities|programming|responses\ are|function
            |purpose)\b | i(?:'m|\ am)\ (?:chat\ ?gpt|claude,?\ an?|gemini|llama|copilot|assistant)\b
    )
    | \A\W{{0,8}}(?:\w+\ ){{0,2}}?{_SPEAKERS}{_CLOSE}{{0,3}}(?:\ (?:message|response|reply|says
            |here))?\s?(?:\([^()\n]{{1,30}}\)\s?)?(?:[:>—–]|-\s) | \A\s?{_OPEN}{{1,3}}\s?{_SPEAKERS}\s?{_CLOSE}{{1,3}}
    | \A<\|?\s?(?:im_start\|>)?\s?{_SPEAKERS}\b | \A\#{{1,4}}\s?{_SPEAKERS}\b
    | (?<!you\ )\bassist\ with\ (?:that|this)\b
    """,
)
_LABEL_LINE = re.compile(
    rf"""
    ^[ \t]{{0,4}}(?:[-*•]\ |\d[.)]\ )?{_OPEN}{{0,3}}\ ?
    ([A-Za-z]\w{{0,14}}(?:\ (?:[A-Za-z]\w{{0,12}}|\d{{1,2}})){{0,2}})
    \ ?{_CLOSE}{{0,3}}\ ?(?:\([^()\n]{{1,30}}\)\ ?)?(?:[:>—–|→=]|(?<=[\])}}])|-\ )
    """,
    re.MULTILINE | re.VERBOSE,
)
_FACE = re.compile(r"^[ \t]{0,4}[\U0001F000-\U0001FAFF\u2600-\u27BF]\ufe0f?(?=\s?:|\s)", re.MULTILINE)
_SAYS = r"(?:\ (?:says?|said|responds?|response|repl(?:y|ies|ied)|answers?|answered|turn|message|output|text))?"
_OTHER = re.compile(rf"(?:\w+\ ){{0,2}}{_SPEAKERS}{_SAYS}\Z", _ANY | re.VERBOSE)
_SEEKER = re.compile(rf"(?:the\ )?{_SEEKERS}{_SAYS}\Z", _ANY | re.VERBOSE)
_TOKENS = SCREEN.pattern(
    rf"<\|[^|>\n]{{1,24}}\|>|</?s>|\[/?inst\]|<(?:start|end)_of_turn>|<</?sys>>|</?(?:{_SPEAKERS}|{_SEEKERS})>"
    rf"|[\[{{]{{1,2}}{_SPEAKERS}[\]}}]{{1,2}}|^[ \t]{{0,4}}(?:\#{{1,4}}|={{2,5}})[ ]?{_SPEAKERS}\b"
    rf"|\"?role\"?\s?[:=]\s?\"?{_SPEAKERS}\b|\"{_SPEAKERS}\"\s?:\s?\"|\bthe\ {_SPEAKERS}\ (?:says|replies|responds"
    rf"|answers|replied|responded|answered|said)\s?[:,]|^[ \t]{{0,4}}{_SPEAKERS}[ \t]*$"
    rf"|\b(?:said|says|replied|replies|answered|responded)\ the\ {_SPEAKERS}\b",
    lines=True,
)
_INLINE = re.compile(rf"\b({_SPEAKERS}|{_SEEKERS})\ ?:\ ", _ANY | re.VERBOSE)


_MARKED = re.compile(r"[:>\])}|=—–→]|- ")
"""A label ends with one of these."""


def role_reversal(utterance: Utterance) -> str | None:
    """Return the sentence with which a user does the recommender's job: serves, offers, lists items, asks for tastes.

    No phrase is enough: people who look for a film also say `have you seen` and `what do you like`. What the words, the
    known phrases and the look of the turn have to say is weighed together.
    """
    return scorers()["role_reversal"].telling(utterance.pieces, role_phrases(utterance))


def role_phrases(utterance: Utterance) -> list[str]:
    """Return the names of the recommender's phrases that a turn holds: serves, offers, elicits."""
    return [name for name, pattern in _PHRASES.items() if pattern.search(utterance.lowered) is not None]


def speaks_as_system(utterance: Utterance) -> str | None:
    """Return the words with which a user presents themself as the system: its label, or what only a machine says."""
    found = utterance.found(_SPEAKS)
    return judged("speaks_as_system", utterance) if found is None else found


def writes_both_sides(utterance: Utterance) -> str | None:
    """Return the label with which a user goes on with the other side's turn in their own.

    A label of the other side after the first line counts, and so do labels of both sides anywhere, two labels that
    begin lines and are no seeker's alone, and the control tokens of chat templates.
    """
    text = utterance.head
    tokens = (found for found in _TOKENS.finditer(utterance.lowered) if text[: found.start()].strip())
    if (token := next(tokens, None)) is not None:
        return text[token.start() : token.end()]
    if _MARKED.search(text) is not None and (label := _labels(text)) is not None:
        return label
    faces = set() if text.isascii() else {found.group() for found in _FACE.finditer(text)}
    return " ".join(sorted(faces)) if len(faces) >= 2 else None


def _labels(text: str) -> str | None:
    labels: dict[str, str] = {}
    for found in _LABEL_LINE.finditer(text):
        label = found.group(1)
        if _OTHER.match(label) and text[: found.start()].strip():
            return found.group().strip()
        labels.setdefault(label.casefold(), label)
    if len(labels) >= 2 and text.lstrip(" \t\"'*[(<").casefold().startswith(next(iter(labels))):
        return ", ".join(labels.values())
    if "me" in labels and "you" in labels:
        return "Me, You"
    inline = [found.group(1) for found in _INLINE.finditer(text)]
    if any(_OTHER.match(label) for label in inline) and any(_SEEKER.match(label) for label in inline):
        return ", ".join(inline)
    return None
