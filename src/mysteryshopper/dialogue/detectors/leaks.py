"""A user who gives away the prompt behind them, or says what they only thought."""

from __future__ import annotations

from functools import lru_cache

from mysteryshopper.dialogue.detectors.cues import judged
from mysteryshopper.dialogue.detectors.patterns import SCREEN
from mysteryshopper.dialogue.detectors.utterance import Utterance
from mysteryshopper.dialogue.text import words

RUN = 7
"""So many words in a row that are the prompt's own are no accident."""

_SELF = r"(?:user|seeker|customer|shopper|persona|client|role|character)"
_PLAY = (
    r"(?:play(?:s|ing|ed)?|act(?:s|ing|ed)?(?:\ as|\ like|\ out)?|behav(?:e|ing)(?:\ as|\ like)?|simulat(?:e|es"
    r"|ed|ing)|role-?\ ?play(?:s|ing)?(?:\ as)?"
    r"|impersonat(?:e|ing)|pretend(?:ing|ed)?(?:\ to\ be)?|represent(?:ing)?|speak(?:ing)?\ as|pos(?:e|ing)\ as)"
)
_SAY = r"(?:name|reveal|disclose|mention|give\ away|say|tell|state|spell\ out|share|show|hint)"
_BOUND = (
    r"(?:must|should|can|may|could|can't|cannot|will|won't|shall|allowed\ to|supposed\ to|meant\ to|told\ to|asked\ to"
    r"|forbid\ me\ to|not\ to|never|not)"
)

_INSTRUCTED = SCREEN.pattern(
    rf"""
    \b(?:
      (?:instructions?|instructed)\b | system\ prompt\b
    | my\ (?:\w+\ )?(?:prompt|guidelines?|directives?|brief
            |briefing|assignment|script)\b
    | (?:the|this|these|my|given)\ (?:prompt|guidelines|scenario|setup|briefing|rules)\b[^.?!\n]{{0,30}}\b(?:say
            |says|said|tell|tells|told|forbid|ask|asks|i|is|are|require|given)\b
    | according\ to\ (?:my|the|this)\ (?:prompt|guidelines|scenario|setup|brief|briefing|profile|persona|rules|role
            |task|description|character)\b | rules?\s?:\ | one\ of\ (?:my|the)\ rules\b | my\ rules\b
    | i(?:\ was|\ am|'m|\ have\ been|'ve\ been|\ had\ been)\ (?:only\ |not\ |also\ )?(?:told|asked|instructed|given
            |supposed|meant|required|forbidden|allowed|assigned|configured|ordered)
            \ (?:to|not\ to|a|an|the|this|from)\ (?:never\ |only\ |always\ )?(?:{_PLAY}|{_SAY}|keep|write|be\ (?:an?|the
            |brief|short)|stay|use|answer|respond|reply|limit|role|persona|profile|task|target)\b
    | i(?:'m|\ am)\ (?:just\ |only\ |here\ )?(?:to\ )?{_PLAY}\ (?:an?|the|as|some(?:one|body)|this|one)\b
    | (?:i\ (?:only\ |just\ |must\ |will\ |am\ to\ |have\ to\ )?|i'll\ |to\ ){_PLAY}\ (?:\w+\ ){{0,3}}?(?:{_SELF}
            |person\ (?:who|with)|someone\ who|somebody\ who|one\ who)\b
    | {_PLAY}\ (?:an?|the|some|this|your|my)\ (?:\w+\ ){{0,2}}?(?:{_SELF}|person|part|human)s?\b | simulated\b
    | simulat(?:e|ion|ing|or)\b | role-?\ ?play\w*\b | in\ character\b | out\ of\ character\b
    | playing\ (?:the|a)\ (?:role|part)\b
    | (?:as\ per|per|following|given|under|by|within)\ (?:my|the|these|this)\ (?:\w+\ )?(?:profile|persona|prompt
            |guidelines?|rules?|instructions?|brief|scenario|role|setup|description|task)\b
    | in\ this\ (?:exercise|scenario|simulation|game|experiment|test|role|setting|study|setup)\b
    | (?:been|was
            |am)\ assigned\b | in\ the\ role\ of\b
    | i(?:'m|\ am|\ was|'ve\ been|\ have\ been)\ told\ (?:that|to|i|not|what)\b
    | they\ (?:asked|told|want
            |instructed)\ me\ to\ (?!watch|see|try)\w+\b
    | i(?:\ may|\ can|\ must|\ should|'m\ allowed\ to)\ only\ (?:reveal|tell|say|answer|give|share|mention|name|use
            |write|speak|respond|reply)\b
    | i\ (?:have|need|ought)\ to\ (?:answer|reply|respond|stay|keep|write|speak)\ (?:in|within|with|to|short|brief
            |my|as)\b | secret\ (?:i|that\ i|goal|target|wish)\b | my\ character\b | it\ says\ (?:here|that\ i)\b
    | (?:have|had|need|going|told)\ to\ pretend\b | i\ (?:am\ |'m\ )?pretend(?:ing)?\b
    | (?:the|this|my)\ (?:task|scenario|description|profile|sheet|card|brief|story)(?:\ \w+)?\ (?:says|states|reads
            |tells|wants|asks|requires|specifies|describes|mentions)\b | to\ test\ you\b | testing\ you\b
    | i(?:\ am|'m)\ (?:required|obliged|expected|programmed|limited
            |restricted|bound)\ to\b | personas?\b
    | (?:my|the|this)\ (?:character|user|customer|seeker
            |given)\ (?:profile|description|sheet|card|persona|role)\b
    | (?:my|the)\ (?:profile|description)\b[^.?!\n]{{0,20}}\b(?:says?|states?|tells?|is|lists?|reads?|given|of\ me
            |mentions?)\b
    | (?:profile|persona|wish|target|rules?|task|role|goal)\ (?:that\ )?i\ (?:was|have\ been|am)\ (?:given
            |assigned)\b
    | my\ (?:hidden\ |secret\ |assigned\ |true\ |real\ )?(?:task|role|goal|objective|purpose|mission)\ (?:says|is
            |here|in\ this|tells|states|was)\b
    | {_BOUND}\ (?:not\ |never\ )?{_SAY}\ (?:you\ |directly\ )?(?:the|my|which|what|its)\ (?:\w+\ )?(?:target|title
            |name|item|instructions|prompt|rules|film|movie|answer)\b | target\ (?:item|movie|film|book|title)s?\b
    | (?:end|stop)[ _-](?:marker|token|sequence|tag)\b
    | (?:as|were|been|is|are)\ (?:required|instructed|specified|requested\ by\ the\ prompt)\b
    | you\ are\ an?\ (?:\w+\ ){{0,2}}?(?:{_SELF}|person|human|movie\ lover)\ (?:who|looking|that|with|in\ search
            |searching|talking)\b
    | keep\ (?:your|the|all|my)\ (?:answers?|messages?|replies|reply|responses?|turns?)\b
    | (?:not|never)\ (?:really\ |actually\ )?an?\ (?:real\ )?(?:person|human)\b
    | (?:stay|remain|stick|keep)(?:ing)?\ (?:in|to|with)\ (?:my\ |the\ |this\ )?(?:character|role|persona)\b
    | break(?:ing)?\ (?:my\ )?character\b | in\ the\ voice\ of\ (?:the|a|my)\b
    | without\ (?:ever\ |directly\ )?(?:naming|revealing
            |mentioning|saying|giving\ away)\ (?:the|its|my)\b
    | (?:one|two|1|2)\ (?:or\ (?:two|three)\ |to\ (?:two|three)\ )?(?:short\ |brief\ )?sentences?\b
    | (?:stay
            |remain|staying)\ in\ (?:role|persona|character)\b
    )
    | \[end\]
    | ^\W{{0,4}}(?:(?:user|seeker|customer|your|my)\ )?(?:role|task|goal|scenario|persona|profile|constraints?
            |objective|target|wish)\W{{0,3}}: | (?<!my\ )\buser\ profile\b
    """,
    lines=True,
)

_META = r"(?:message|reply|response|answer|turn|utterance|sentence|line|tone|wording)"
_THOUGHT = SCREEN.pattern(
    rf"""
    \b(?:
      let\ me\ (?:think|consider|see)\ (?:about|of|how
            |what|whether)\b | inner\ (?:voice|monologue|thought)\b | what\ i\ was\ (?:given|told|asked)\b
    | what\ (?:would|should|could|might|does|do)\ (?:somebody|someone|a\ person|this\ person|people|one|they
            |i)\b[^?\n]{{0,20}}\b(?:say|answer|reply|write|type|respond)\b
    | best\ (?:thing|reply|answer|response|way)\ to\ (?:say|reply|answer|respond|react)\b
    | (?:next|first|now
            |then),?\ i(?:'ll|\ will|\ should|\ need\ to)?\ (?:ask|say|reply|reject|accept|decline|mention|answer
            |respond|tell)\b
    | (?:want|trying|try|need|have)\ to\ (?:sound|seem|appear|act|stay\ (?:in|short|brief|casual))\b
    | i\ (?:reject|decline|refuse|accept)\ (?:it|this|that|the|politely)\b | i\ (?:only\ )?reveal\b
    | (?:note|p\.?s\.?)\s?:\s?(?:i|this|the|my)\b[^\n]{{0,60}}\b(?:{_META}|persona|user|character)\b
    | as\ (?:the|a|this|any|a\ real)\ {_SELF}\b
    | (?:a|any|real|typical)\ (?:real\ |human\ |genuine[ ]
            |typical\ ){{0,2}}(?:user|seeker)\b | (?:my|the|{_SELF}'s)\ next\ (?:\w+\ )?{_META}\b | next\ user\b
    | (?:respond|reply|answer|write|speak|react)(?:ing)?\ (?:\w+\ ){{0,2}}?(?:as|like|in\ the\ voice\ of
            |for)\ (?:the|a|this|an?\ \w+)\ (?:{_SELF}|person)\b
    | (?:what|how|which|whether)\ (?:the|this|a)\ (?:\w+\ )?(?:{_SELF}|person)\ (?:would|should|might|could|will
            |wants?|says?|answers?|reacts?|feels?)\b | the\ (?:user|seeker|persona)\b | (?:user|seeker|persona)'s\b
    | the\ (?:recommender|assistant|system|bot|chatbot|agent)\ (?:\w+\ ){{0,2}}?
            (?:recommend(?:ed|s)|suggest(?:ed|s)|ask(?:ed|s|ing)|offer(?:ed|s)|mention(?:ed|s)|understood|understand
            |named|said|says|showed|shows|wants|gave|gives|responded|replied|not)\b
    | (?:does\ not|doesn't|did\ not|didn't|isn't|is\ not|not)\ (?:really\ )?(?:the\ target|what\ the|match\ (?:the
            |my)|fit\ (?:the|my)|meet\ (?:the|my)|the\ wish)\b
    | consider(?:ing|s)?\ (?:the|this|my)\ (?:persona|wish|profile|user|seeker|goal|context|history|conversation
            |dialogue|suggestion)\b | step\ by\ step\b | thought\ process\b
    | my\ (?:list\ of\ wishes
            |wish\ list|criteria|requirements)\b | therefore\s?:\
    | i\ chose\ (?:this|these|to|the)\ (?:wording
            |words|phrase|tone|keep|be|sound|answer)\b | to\ sound\ \w+
    | (?:should|will|would)\ do\ as\ (?:a|the
            |my)\b | reply\ to\ the\ (?:recommender|assistant|system|bot)\b
    | {_SELF}'s\ (?:answer|reply|response
            |message|turn|words|line|voice|next|mood|feelings?)\b
    | (?:from|of|by|to|with|for)\ the\ (?:system
            |assistant|recommender|chatbot)\b | the\ wish\b
    | so\ i\ (?:say|should|must|will\ (?:say|reply|answer|respond|reject|refuse|ask|accept|decline)
            |need\ to|reply|answer)\b
    | (?:i\ should|i\ need\ to|i\ must|i'll|i\ will|i\ have\ to|let\ me|let's|i\ want\ to|i\ can)\ (?:now\ |first[ ]
            |also\ |just\ |then\ |politely\ |simply\ |probably\ )?
            (?:respond|reply|answer\ (?:this|with|briefly|politely|that|in)|act|sound|phrase|word|express|decline|reject
            |refuse|stay|keep\ (?:it|this|my|the)|make\ (?:it|this|my)\ \w+
            |consider\ what|decide\ (?:what|how|whether)|craft|formulate|draft|compose|pretend)\b
    | here(?:'s|\ is)\ (?:a|the|my|one|how)\ (?:[\w']+\ ){{0,2}}?(?:{_META}|user|seeker|customer)\b
    | figure\ out\ (?:what|how)\b | the\ (?:conversation|dialogue)\ (?:so\ far|history|context)\b
    | the\ (?:right|best|natural|next|logical|sensible)\ (?:move|step|reaction|response|reply|answer)\b
    | in\ this\ (?:turn|{_META})\b
    | (?:my|this|the)\ {_META}\ (?:should|must|needs?|keeps?|stays|will
            |is\ (?:short|brief|natural|casual|polite)|sounds|reflects|shows|fits|matches)\b
    | (?:step|turn)\ [1-9]\s?: | keep\ the\ tone\b | stay(?:ing)?\ (?:casual|polite|brief|natural|concise)\b
    )
    | </?\s?(?:think|thinking|thought|thoughts|reasoning|reflection|scratchpad|analysis|plan|inner_?\w*|monologue)\s?>
    | ^\W{{0,4}}(?:\w+\ ){{0,2}}?(?:thoughts?|thinking|reasoning|analysis|reflection|plan|monologue|rationale
            |strategy|note|intent|intention|action|goal|observation|step\ \d+|decision|feeling|reasons?|draft|process
            |motivation|explanation|context|comment|evaluation|assessment|considerations?|summary|status)\W{{0,3}}:
    | ^\W{{0,4}}(?:\w+\ ){{0,2}}?{_META}(?:\ (?:as|from|of|by|to)\ (?:a|the|my)\ \w+)?\W{{0,3}}:\s
    | \A\W{{0,4}}(?:the\ )?(?:simulated\ )?{_SELF}\W{{0,3}}: | <(?!3)/?[a-z][a-z_ ]{{1,20}}>
    | ^\W{{0,4}}(?:(?:the\ |my\ |final\ |next\ |user(?:'s)?\ |seeker(?:'s)?\ |customer(?:'s)?\ ){{0,3}}{_META}|say
            |output)\W{{0,3}}:
    | [(\[*{{]\s?(?:waits?|pauses?|hesitates?|considers?|ponders?|reads?|types?|typing|waiting|pausing|responds?
            |replies|rejects?|accepts?|seems?|feels?|decides?|wants?|asks?|sighs?|nods?|expresses
            |shows?)\s[^)\]*}}\n]{{0,200}}[)\]*}}]
    | [(\[*{{]\s?(?:thinking|thinks?|thought|internal|internally|inner|note|sound(?:s|ing)?|keeps?|keeping|speaking
            |act(?:s|ing)?|i\ (?:should|need|must|will|want|am|have|can)
            |i'll|i'm|trying|(?:the|this)\ (?:user|seeker|customer|person|recommender|assistant|system|persona
            |{_META}))\b[^)\]*}}\n]{{0,300}}[)\]*}}] | (?:\A|\s)//\s?[a-z][^\n]{{0,80}}\Z
    """,
    lines=True,
)


def leaked_instructions(utterance: Utterance) -> str | None:
    """Return the words with which a user speaks of their instructions, or `RUN` words in a row taken from them."""
    if (found := utterance.found(_INSTRUCTED)) is not None:
        return found
    known = _runs(utterance.instructions)
    if known:
        said = utterance.words.split(" ")
        runs = zip(*(said[place:] for place in range(RUN)), strict=False)
        if (run := next(filter(known.__contains__, runs), None)) is not None:
            return " ".join(run)
    return judged("leaked_instructions", utterance)


def leaked_thoughts(utterance: Utterance) -> str | None:
    """Return the words with which a user plans aloud, or speaks of themself as `the user`."""
    found = utterance.found(_THOUGHT)
    return judged("leaked_thoughts", utterance) if found is None else found


@lru_cache(maxsize=64)
def _runs(instructions: tuple[str, ...]) -> frozenset[tuple[str, ...]]:
    return frozenset(
        tuple(run[place : place + RUN])
        for run in (words(sentence) for sentence in instructions)
        for place in range(len(run) - RUN + 1)
    )
