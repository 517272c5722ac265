"""English verbs whose past forms a stemmer does not reduce, with those forms."""

from __future__ import annotations

# Without find and leave: found and left are more often words of their own.
FORMS = (
    "begin began begun;bring brought;build built;buy bought;catch caught;choose chose chosen;come came;draw drew drawn;"
    "drive drove driven;eat ate eaten;fall fell fallen;feel felt;fight fought;fly flew flown;get got gotten;give gave given;"
    "go went gone;grow grew grown;hold held;keep kept;know knew known;lead led;lend lent;lose lost;make made;mean meant;"
    "meet met;pay paid;rise rose risen;run ran;say said;see saw seen;sell sold;send sent;shake shook shaken;"
    "show shown;sing sang sung;sink sank sunk;sit sat;sleep slept;speak spoke spoken;spend spent;spring sprang sprung;"
    "stand stood;steal stole stolen;strike struck;swim swam swum;take took taken;teach taught;tell told;think thought;"
    "throw threw thrown;understand understood;wear wore worn;win won;write wrote written;break broke broken;hide hid hidden;"
    "freeze froze frozen;forget forgot forgotten;become became;overdraw overdrew overdrawn;withdraw withdrew withdrawn"
)
