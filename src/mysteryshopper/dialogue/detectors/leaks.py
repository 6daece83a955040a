"""A user who gives away the prompt behind them, or says what they only thought."""

from __future__ import annotations

import re
from functools import lru_cache

from mysteryshopper.dialogue.detectors.scoring import scorers
from mysteryshopper.dialogue.detectors.utterance import Utterance
from mysteryshopper.dialogue.text import words

RUN = 7
"""So many words in a row that are the prompt's own are no accident."""

_ANY = re.IGNORECASE
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

_INSTRUCTED = re.compile(
    rf"""
      \b(?:instructions?|instructed)\b | \bsystem\ prompt\b | \bmy\ (?:\w+\ )?(?:prompt|guidelines?|directives?|brief
              |briefing|assignment|script)\b
    | \b(?:the|this|these|my|given)\ (?:prompt|guidelines|scenario|setup|briefing|rules)\b[^.?!\n]{{0,30}}\b(?:say
            |says|said|tell|tells|told|forbid|ask|asks|i|is|are|require|given)\b
    | \baccording\ to\ (?:my|the|this)\ (?:prompt|guidelines|scenario|setup|brief|briefing|profile|persona|rules|role
            |task|description|character)\b
    | \brules?\s?:\ | \bone\ of\ (?:my|the)\ rules\b | \bmy\ rules\b
    | \bi(?:\ was|\ am|'m|\ have\ been|'ve\ been|\ had\ been)\ (?:only\ |not\ |also\ )?(?:told|asked|instructed|given
            |supposed|meant|required|forbidden|allowed|assigned|configured|ordered)
        \ (?:to|not\ to|a|an|the|this|from)\ (?:never\ |only\ |always\ )?(?:{_PLAY}|{_SAY}|keep|write|be\ (?:an?|the
                |brief|short)|stay|use|answer|respond|reply|limit|role|persona|profile|task|target)\b
    | \bi(?:'m|\ am)\ (?:just\ |only\ |here\ )?(?:to\ )?{_PLAY}\ (?:an?|the|as|some(?:one|body)|this|one)\b
    | \b(?:i\ (?:only\ |just\ |must\ |will\ |am\ to\ |have\ to\ )?|i'll\ |to\ ){_PLAY}\ (?:\w+\ ){{0,3}}?(?:{_SELF}
            |person\ (?:who|with)|someone\ who|somebody\ who|one\ who)\b
    | \b{_PLAY}\ (?:an?|the|some|this|your|my)\ (?:\w+\ ){{0,2}}?(?:{_SELF}|person|part|human)s?\b
    | \bsimulated\b | \bsimulat(?:e|ion|ing|or)\b | \brole-?\ ?play\w*\b | \bin\ character\b
            | \bout\ of\ character\b | \bplaying\ (?:the|a)\ (?:role|part)\b
    | \b(?:as\ per|per|following|given|under|by|within)\ (?:my|the|these|this)\ (?:\w+\ )?(?:profile|persona|prompt
            |guidelines?|rules?|instructions?|brief|scenario|role|setup|description|task)\b
    | \bin\ this\ (?:exercise|scenario|simulation|game|experiment|test|role|setting|study|setup)\b | \b(?:been|was
            |am)\ assigned\b | \bin\ the\ role\ of\b
    | \bi(?:'m|\ am|\ was|'ve\ been|\ have\ been)\ told\ (?:that|to|i|not|what)\b | \bthey\ (?:asked|told|want
            |instructed)\ me\ to\ (?!watch|see|try)\w+\b
    | \bi(?:\ may|\ can|\ must|\ should|'m\ allowed\ to)\ only\ (?:reveal|tell|say|answer|give|share|mention|name|use
            |write|speak|respond|reply)\b
    | \bi\ (?:have|need|ought)\ to\ (?:answer|reply|respond|stay|keep|write|speak)\ (?:in|within|with|to|short|brief
            |my|as)\b | \bsecret\ (?:i|that\ i|goal|target|wish)\b
    | \bmy\ character\b | \bit\ says\ (?:here|that\ i)\b | \b(?:have|had|need|going|told)\ to\ pretend\b
            | \bi\ (?:am\ |'m\ )?pretend(?:ing)?\b
    | \b(?:the|this|my)\ (?:task|scenario|description|profile|sheet|card|brief|story)(?:\ \w+)?\ (?:says|states|reads
            |tells|wants|asks|requires|specifies|describes|mentions)\b
    | \bto\ test\ you\b | \btesting\ you\b | \bi(?:\ am|'m)\ (?:required|obliged|expected|programmed|limited
            |restricted|bound)\ to\b | \bpersonas?\b | \b(?:my|the|this)\ (?:character|user|customer|seeker
            |given)\ (?:profile|description|sheet|card|persona|role)\b
    | \b(?:my|the)\ (?:profile|description)\b[^.?!\n]{{0,20}}\b(?:says?|states?|tells?|is|lists?|reads?|given|of\ me
            |mentions?)\b
    | \b(?:profile|persona|wish|target|rules?|task|role|goal)\ (?:that\ )?i\ (?:was|have\ been|am)\ (?:given
            |assigned)\b
    | \bmy\ (?:hidden\ |secret\ |assigned\ |true\ |real\ )?(?:task|role|goal|objective|purpose|mission)\ (?:says|is
            |here|in\ this|tells|states|was)\b
    | \b{_BOUND}\ (?:not\ |never\ )?{_SAY}\ (?:you\ |directly\ )?(?:the|my|which|what|its)\ (?:\w+\ )?(?:target|title
            |name|item|instructions|prompt|rules|film|movie|answer)\b
    | \btarget\ (?:item|movie|film|book|title)s?\b | \b(?:end|stop)[ _-](?:marker|token|sequence|tag)\b
    | \b(?:as|were|been|is|are)\ (?:required|instructed|specified|requested\ by\ the\ prompt)\b
    | \byou\ are\ an?\ (?:\w+\ ){{0,2}}?(?:{_SELF}|person|human|movie\ lover)\ (?:who|looking|that|with|in\ search
            |searching|talking)\b
    | \bkeep\ (?:your|the|all|my)\ (?:answers?|messages?|replies|reply|responses?|turns?)\b
    | \b(?:not|never)\ (?:really\ |actually\ )?an?\ (?:real\ )?(?:person|human)\b
    | \b(?:stay|remain|stick|keep)(?:ing)?\ (?:in|to|with)\ (?:my\ |the\ |this\ )?(?:character|role|persona)\b
    | \bbreak(?:ing)?\ (?:my\ )?character\b | \[end\]
    | ^\W{{0,4}}(?:(?:user|seeker|customer|your|my)\ )?(?:role|task|goal|scenario|persona|profile|constraints?
            |objective|target|wish)\W{{0,3}}:
    | \buser\ profile\b | \bin\ the\ voice\ of\ (?:the|a|my)\b | \bwithout\ (?:ever\ |directly\ )?(?:naming|revealing
            |mentioning|saying|giving\ away)\ (?:the|its|my)\b
    | \b(?:one|two|1|2)\ (?:or\ (?:two|three)\ |to\ (?:two|three)\ )?(?:short\ |brief\ )?sentences?\b | \b(?:stay
            |remain|staying)\ in\ (?:role|persona|character)\b
    """,
    _ANY | re.VERBOSE | re.MULTILINE,
)

_META = r"(?:message|reply|response|answer|turn|utterance|sentence|line|tone|wording)"
_THOUGHT = re.compile(
    rf"""
      </?\s?(?:think|thinking|thought|thoughts|reasoning|reflection|scratchpad|analysis|plan|inner_?\w*|monologue)\s?>
    | ^\W{{0,4}}(?:\w+\ ){{0,2}}?(?:thoughts?|thinking|reasoning|analysis|reflection|plan|monologue|rationale
            |strategy|note|intent|intention|action|goal|observation|step\ \d+|decision|feeling|reasons?|draft|process
            |motivation|explanation|context|comment|evaluation|assessment|considerations?|summary|status)\W{{0,3}}:
    | ^\W{{0,4}}(?:\w+\ ){{0,2}}?{_META}(?:\ (?:as|from|of|by|to)\ (?:a|the|my)\ \w+)?\W{{0,3}}:\s
    | \A\W{{0,4}}(?:the\ )?(?:simulated\ )?{_SELF}\W{{0,3}}: | \blet\ me\ (?:think|consider|see)\ (?:about|of|how
            |what|whether)\b
    | <(?!3)/?[a-z][a-z_ ]{{1,20}}> | \binner\ (?:voice|monologue|thought)\b | \bwhat\ i\ was\ (?:given|told|asked)\b
    | \bwhat\ (?:would|should|could|might|does|do)\ (?:somebody|someone|a\ person|this\ person|people|one|they
            |i)\b[^?\n]{{0,20}}\b(?:say|answer|reply|write|type|respond)\b
    | \bbest\ (?:thing|reply|answer|response|way)\ to\ (?:say|reply|answer|respond|react)\b | \b(?:next|first|now
            |then),?\ i(?:'ll|\ will|\ should|\ need\ to)?\ (?:ask|say|reply|reject|accept|decline|mention|answer
            |respond|tell)\b
    | \b(?:want|trying|try|need|have)\ to\ (?:sound|seem|appear|act|stay\ (?:in|short|brief|casual))\b
            | \bi\ (?:reject|decline|refuse|accept)\ (?:it|this|that|the|politely)\b
    | \bi\ (?:only\ )?reveal\b
    | ^\W{{0,4}}(?:(?:the\ |my\ |final\ |next\ |user(?:'s)?\ |seeker(?:'s)?\ |customer(?:'s)?\ ){{0,3}}{_META}|say
            |output)\W{{0,3}}:
    | [(\[*{{]\s?(?:waits?|pauses?|hesitates?|considers?|ponders?|reads?|types?|typing|waiting|pausing|responds?
            |replies|rejects?|accepts?|seems?|feels?|decides?|wants?|asks?|sighs?|nods?|expresses
            |shows?)\s[^)\]*}}\n]{{0,200}}[)\]*}}]
    | [(\[*{{]\s?(?:thinking|thinks?|thought|internal|internally|inner|note|sound(?:s|ing)?|keeps?|keeping|speaking
            |act(?:s|ing)?|i\ (?:should|need|must|will|want|am|have|can)
        |i'll|i'm|trying|(?:the|this)\ (?:user|seeker|customer|person|recommender|assistant|system|persona
                |{_META}))\b[^)\]*}}\n]{{0,300}}[)\]*}}]
    | \b(?:note|p\.?s\.?)\s?:\s?(?:i|this|the|my)\b[^\n]{{0,60}}\b(?:{_META}|persona|user|character)\b
    | (?:\A|\s)//\s?[a-z][^\n]{{0,80}}\Z
    | \bas\ (?:the|a|this|any|a\ real)\ {_SELF}\b | \b(?:a|any|real|typical)\ (?:real\ |human\ |genuine[ ]
            |typical\ ){{0,2}}(?:user|seeker)\b
    | \b(?:my|the|{_SELF}'s)\ next\ (?:\w+\ )?{_META}\b | \bnext\ user\b
    | \b(?:respond|reply|answer|write|speak|react)(?:ing)?\ (?:\w+\ ){{0,2}}?(?:as|like|in\ the\ voice\ of
            |for)\ (?:the|a|this|an?\ \w+)\ (?:{_SELF}|person)\b
    | \b(?:what|how|which|whether)\ (?:the|this|a)\ (?:\w+\ )?(?:{_SELF}|person)\ (?:would|should|might|could|will
            |wants?|says?|answers?|reacts?|feels?)\b
    | \bthe\ (?:user|seeker|persona)\b | \b(?:user|seeker|persona)'s\b
    | \bthe\ (?:recommender|assistant|system|bot|chatbot|agent)\ (?:\w+\ ){{0,2}}?
        (?:recommend(?:ed|s)|suggest(?:ed|s)|ask(?:ed|s|ing)|offer(?:ed|s)|mention(?:ed|s)|understood|understand
                |named|said|says|showed|shows|wants|gave|gives|responded|replied|not)\b
    | \b(?:does\ not|doesn't|did\ not|didn't|isn't|is\ not|not)\ (?:really\ )?(?:the\ target|what\ the|match\ (?:the
            |my)|fit\ (?:the|my)|meet\ (?:the|my)|the\ wish)\b
    | \bconsider(?:ing|s)?\ (?:the|this|my)\ (?:persona|wish|profile|user|seeker|goal|context|history|conversation
            |dialogue|suggestion)\b | \bstep\ by\ step\b | \bthought\ process\b | \bmy\ (?:list\ of\ wishes
            |wish\ list|criteria|requirements)\b | \btherefore\s?:\ | \bi\ chose\ (?:this|these|to|the)\ (?:wording
            |words|phrase|tone|keep|be|sound|answer)\b | \bto\ sound\ \w+ | \b(?:should|will|would)\ do\ as\ (?:a|the
            |my)\b | \breply\ to\ the\ (?:recommender|assistant|system|bot)\b | \b{_SELF}'s\ (?:answer|reply|response
            |message|turn|words|line|voice|next|mood|feelings?)\b | \b(?:from|of|by|to|with|for)\ the\ (?:system
            |assistant|recommender|chatbot)\b
    | \bthe\ wish\b | \bso\ i\ (?:say|should|must|will\ (?:say|reply|answer|respond|reject|refuse|ask|accept|decline)
            |need\ to|reply|answer)\b
    | \b(?:i\ should|i\ need\ to|i\ must|i'll|i\ will|i\ have\ to|let\ me|let's|i\ want\ to|i\ can)\ (?:now\ |first[ ]
            |also\ |just\ |then\ |politely\ |simply\ |probably\ )?
        (?:respond|reply|answer\ (?:this|with|briefly|politely|that|in)|act|sound|phrase|word|express|decline|reject
                |refuse|stay|keep\ (?:it|this|my|the)|make\ (?:it|this|my)\ \w+
        |consider\ what|decide\ (?:what|how|whether)|craft|formulate|draft|compose|pretend)\b
    | \bhere(?:'s|\ is)\ (?:a|the|my|one|how)\ (?:[\w']+\ ){{0,2}}?(?:{_META}|user|seeker|customer)\b
    | \bfigure\ out\ (?:what|how)\b | \bthe\ (?:conversation|dialogue)\ (?:so\ far|history|context)\b
    | \bthe\ (?:right|best|natural|next|logical|sensible)\ (?:move|step|reaction|response|reply|answer)\b
    | \bin\ this\ (?:turn|{_META})\b | \b(?:my|this|the)\ {_META}\ (?:should|must|needs?|keeps?|stays|will
            |is\ (?:short|brief|natural|casual|polite)|sounds|reflects|shows|fits|matches)\b
    | \b(?:step|turn)\ [1-9]\s?: | \bkeep\ the\ tone\b | \bstay(?:ing)?\ (?:casual|polite|brief|natural|concise)\b
    """,
    _ANY | re.VERBOSE | re.MULTILINE,
)


def leaked_instructions(utterance: Utterance) -> str | None:
    """Return the words with which a user speaks of their instructions, or `RUN` words in a row taken from them."""
    text = utterance.head.replace("’", "'")
    if (found := _INSTRUCTED.search(text)) is not None:
        return found.group()
    known = _runs(utterance.instructions)
    said = words(text) if known else []
    for place in range(len(said) - RUN + 1):
        run = tuple(said[place : place + RUN])
        if run in known:
            return " ".join(run)
    return scorers()["leaked_instructions"].telling(utterance.pieces)


def leaked_thoughts(utterance: Utterance) -> str | None:
    """Return the words with which a user plans aloud, or speaks of themself as `the user`."""
    found = _THOUGHT.search(utterance.head.replace("’", "'"))
    return found.group() if found else scorers()["leaked_thoughts"].telling(utterance.pieces)


@lru_cache(maxsize=64)
def _runs(instructions: tuple[str, ...]) -> frozenset[tuple[str, ...]]:
    return frozenset(
        tuple(run[place : place + RUN])
        for run in (words(sentence) for sentence in instructions)
        for place in range(len(run) - RUN + 1)
    )
