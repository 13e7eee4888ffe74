"""English."""

from quarry.languages.language import Language

ENGLISH = Language(
    name="English",
    code="en",
    alphabet="abcdefghijklmnopqrstuvwxyz",
    tesseract="eng",
    stop_words="""
    a about above after again against all almost alone also although always am among an and another answer any
    are around as at back be because been before being below between both but by came can cannot come could did
    do does doing done down during each either else enough even ever every few find first for from further gave
    get gets getting give given gives go goes going good got had has have having he hence her here hers herself
    him himself his how however i if in indeed instead into is it its itself just keep kind know last least less
    let like list little long look lot made make makes making many may me might mine more most much must my
    myself need needs neither never next no none nor not nothing now of off often on once one only onto option
    or other others otherwise our ours ourselves out over own paragraph part per perhaps put quite rather really
    s said same say says see seem seems seen sentence several shall she should since so some somebody someone
    something still such t take taken takes than that the their theirs them themselves then there therefore
    these they thing things this those though three through thus to together too took toward two under until up
    upon us use used uses using usually very want was way ways we well went were what whatever when where
    whether which while who whole whom whose why will with within without word words would yes yet you your
    yours yourself yourselves
    """,
    common_words="the a is in of to this we are and for that it an with can be on as by one which not from if have "
    "when or two at but their its these more than our has there all each so how first data then between used some use "
    "may will what most new such was only many both",
    ones="one",
    cardinals="two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen twenty",
    ordinals="first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth "
    "fifteenth sixteenth seventeenth eighteenth nineteenth twentieth",
    tens="twenty thirty forty fifty sixty seventy eighty ninety",
    is_ordinal_first=True,
    abbreviations="e.g i.e cf c.f n.b viz v vs fig figs eq eqs eqn eqns sec secs sect sects ch chap chaps vol nos pp "
    "ref refs def thm thms prop props lem cor rem alg approx dr mr mrs ms prof profs st mt jr sr rev gen hon ph.d m.sc "
    "b.sc resp incl excl esp ed eds op a.k.a nr ex exs w.r.t wrt s.t w.l.o.g wlog",
    last_abbreviations="al etc inc ltd co corp dept univ bros jan feb mar apr jun jul aug sep sept oct nov dec",
    number_abbreviations="no n° nº p ca ver tab app",
    statements="theorem theorems lemma corollary proposition claim conjecture axiom definition proof example exercise "
    "criterion test rule law principle property inequality identity formula equation method",
    openers="a an the this that these those it its he she they we you i in on at by for from to of as if when while "
    "where what which who how why then thus hence so but and or nor yet also however therefore moreover furthermore "
    "equivalently similarly conversely indeed otherwise consequently "
    "finally first second next now here there once since because although though after before both each every all any "
    "some most many no not one two let suppose consider assume given note see show prove find compute "
    "determine describe explain deduce recall our their his her another such unlike "
    "like with without is are can do does did was were has have had will would could should may must my your mr mrs dr",
    open_ends="let the a an of that and or with where if by for to from is are be",
    conjunctions="and or",
    clauses=r"where|with|which|and|then|so|for (?:all|some|every|each|any)",
    decisive="not no never none nor neither nobody nothing nowhere without cannot t non except unless "
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand million "
    "billion first second third fourth fifth sixth seventh eighth ninth tenth once twice double triple half "
    "halves quarter",
    lecture="lecture|lec|chapter|chap|ch|lesson|unit|week|class|session|module|handout",
    drawings="fig|tab|pic|photo|image|illustration|listing|algorithm|chart|plate|scheme|exhibit|diagram|graph|map|box|abb",
    # also in languages close to English
    bibliographies="references|r[eé]f[eé]r[eê]nc(?:ia|e)s|bibliogra\\w+|works cited|sources|further reading|"
    "literatur|literaturverzeichnis|quellen\\w*",
    labels={
        "theorem": "definition|theorem|lemma|corollary|proposition|claim|fact|axiom|conjecture|assumption|property",
        "proof": "proof",
        "exercise": "exercise|problem|question|task",
        "example": "example",
        "remark": "remark|note|hint|tip|warning|observation",
    },
    # a word of several kinds stands in each; `NameKind` explains the kinds
    name_words={
        "lectures": "lecture lectures lect lec lesson lessons deck decks tutorial tutorials tut recitation recitations "
        "seminar seminars",
        "numbered": "chapter chapters chap ch module modules week weeks wk session sessions class classes unit units "
        "part parts l notes handout handouts sheet sheets",
        "counted": "section sections sec topic topics talk talks exercise exercises day days meeting "
        "meetings episode volume vol no nr number",
        "documents": "note notes slide slides handout handouts material materials reading readings script scripts pdf "
        "file files document documents doc text texts book books paper papers article articles presentation "
        "presentations summary talk talks deck survey surveys essay essays thesis primer monograph treatise",
        "files": "course courses draft drafts final version versions copy copies revised revision rev updated update "
        "new old print full complete edition about al",
        "months": "january jan february feb march mar april apr may june jun july jul august aug september sep sept "
        "october oct november nov december dec",
        "versions": "version versions ver v draft drafts edition editions ed rev revision revised copy take release "
        "print printing",
        "sections": "title page results result introduction intro agenda overview outline contents content summary "
        "conclusion conclusions references bibliography appendix preface foreword motivation background recap "
        "review questions exercises homework acknowledgements acknowledgments abstract index glossary goals "
        "objectives microsoft word powerpoint excel openoffice libreoffice impress writer keynote latex "
        "pdflatex tex beamer acrobat untitled unnamed slide layout",
        "of": "of",
        "others": "page pages p pp room rooms hall floor building table tables figure figures fig slide line lines "
        "step steps question questions q problem problems example examples equation theorem row column group groups",
        "saying": "say says said mention mentions mentioned cover covers covered explain explains explained discuss "
        "discusses discussed teach teaches taught tell tells told write writes wrote claim claims argue argues talk "
        "talks describe describes describing define defines think thinks",
        "naming": "s called titled named written entitled",
        "and": "and or to through vs versus",
        "number signs": "no nr number n num",
        "prepositions": "in from of at during see for",
    },
    negation="not|except|excluding|without|besides|(?:all|anything|everything) but|(?:other|rather) than|instead of|"
    "apart from",
    from_the_end="to last|from last|from the",
    ordinal_endings="st nd rd th",
    option="option|answer|choice",
    or_="or",
    ask_opening="Which of these words does the first sentence of the paragraph contain: {0}? Choose the first option "
    "with a word that is there. Only this exact form counts; capital letters do not matter.",
    ask_anywhere="Which of these words occur anywhere in the paragraph: {0}? Choose the first option with a word that "
    "is there. Only this exact form counts; capital letters do not matter.",
    ask_letter="With which of these letters does the {word} word of the first sentence of the paragraph begin: {0}? "
    "Numbers and signs are not words; capital letters do not matter.",
    word_names={
        0: "first",
        1: "second",
        2: "third",
        3: "fourth",
        -2: "second-to-last",
        -1: "last",
    },
    no_word="none of these words",
    no_letter="none of these letters",
    grounds="because|therefore|based on|indicates?|suggests?|evidence",
)
