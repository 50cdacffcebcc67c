"""Colours and CSS rules of the boards of hexes."""

from rails_cli.games.faces.paints import Look

LOOK = Look(
    {
        "water": ("#c9dde0", "#16262d"),
        "water-near": ("#bdd5d9", "#1a2d35"),
        "water-line": ("#b0cbd0", "#1f353e"),
        "water-ink": ("#335c66", "#86a9b3"),
        "shore": ("#8fb0b6", "#3d5c66"),
        "beyond": ("#e3dac5", "#21282a"),
        "plain": ("#f4ecd7", "#37382f"),
        "forest": ("#d3e0b9", "#2e3f31"),
        "mountain": ("#dccbb4", "#4a4138"),
        "tree": ("#7f9f5c", "#5f8458"),
        "peak": ("#8f7355", "#97806a"),
        "snow": ("#fbf6ea", "#d9d0bf"),
        "hex-grid": ("#6b5a3a", "#000000"),
        "city": ("#fffdf6", "#55534a"),
        "industrial": ("#e6dbef", "#544a66"),
        "start": ("#fbe3bd", "#6b5430"),
        "name-ink": ("#20231f", "#fbf6ea"),
        "track-halo": ("#fffdf6", "#23251f"),
        "costs": ("#574f3d", "#d9d2bf"),
        "pill": ("#1d6b34", "#86d497"),
        "on-pill": ("#ffffff", "#0d2414"),
        "roof": ("#ffd9a8", "#7a3b12"),
        "dial": ("#fffdf8", "#1a2223"),
        "dial-ink": ("#1e2a2c", "#efe8d8"),
        "dial-rim": ("#8a6210", "#eac470"),
        "dial-brass": ("#d9a93f", "#e3b750"),
        "dial-step": ("#1b5e4c", "#7fd1b4"),
        "dial-end": ("#a3281c", "#f0907f"),
    },
    # Rules for parts of shapes that are used elsewhere must not name an ancestor: browsers would not apply them.
    """\
.board .chief,.board .card-title,.board .water-name,.board .ocean-name{
font-family:Besley,Rockwell,Georgia,"DejaVu Serif",serif}
.board .open-water{fill:var(--water)}
.board .hex,.board .dial-ring{fill:none}
.board .outer-waterline,.board .middle-waterline,.board .inner-waterline,.board .shoreline{
fill:none;stroke-linejoin:round}
.board .beyond,.board .land,.board .wood,.board .rock{stroke-linejoin:round}
.board .outer-waterline{stroke:var(--water-near);stroke-width:46}
.board .inner-waterline{stroke:var(--water-near);stroke-width:13}
.board .middle-waterline{stroke:var(--water-line);stroke-width:27}
.board .shoreline{stroke:var(--shore);stroke-width:6.5}
.board .beyond{fill:var(--beyond);stroke:var(--beyond);stroke-width:4}
.board .land{fill:var(--plain);stroke:var(--plain);stroke-width:4}
.board .wood{fill:var(--forest);stroke:var(--forest);stroke-width:3}
.board .rock{fill:var(--mountain);stroke:var(--mountain);stroke-width:3}
.board .hex{stroke:var(--hex-grid);stroke-opacity:.13;pointer-events:all}
.board .wood-glyphs{fill:var(--tree);opacity:.62}
.peak{fill:var(--peak);opacity:.55}
.slope{fill:var(--peak);opacity:.75}
.snow{fill:var(--snow)}
.board .site{fill:var(--city);stroke:var(--hex-grid);stroke-opacity:.32;stroke-width:1.1;stroke-linejoin:round}
.board .site,.board .pip{pointer-events:none}
.board .site.industrial{fill:var(--industrial)}
.board .site.start{fill:var(--start)}
.board .track-halo{fill:none;stroke:var(--track-halo);stroke-opacity:.9;stroke-width:10.5;stroke-linecap:round}
.board .track-edge{fill:none;stroke-linecap:round;stroke-width:7.6}
.board .track-line{fill:none;stroke-width:5;stroke-linecap:round}
.board .track-dash{fill:none;stroke:#fff;stroke-opacity:.55;stroke-width:1.3}
.board .station{stroke-width:1.6}
.station-ring{fill:var(--track-halo);stroke:none}
.board .way-dot{fill:var(--track-halo);stroke-width:1.5}
.board .station-letter{font-size:10.8px;font-weight:800}
.board .large-station-letter{font-size:12.7px;font-weight:800}
.board .narrow-station-letter{font-size:9px;font-weight:800}
.board .slim-station-letter{font-size:6.5px;font-weight:800}
.board .name{fill:var(--name-ink);stroke:var(--city);stroke-width:3.4px}
.board .name{font-size:12.2px;font-weight:700;font-stretch:72%}
.board .large-name{font-size:15.7px;stroke-width:4px}
.board .name.industrial{stroke:var(--industrial)}
.board .name.start{stroke:var(--start)}
.board .chief{font-weight:800;font-size:10.8px;font-stretch:100%}
.board .cost{font-size:11px;font-weight:500;font-stretch:85%;fill:var(--costs);stroke:none}
.board .large-cost{font-size:15.7px}
.board .id{font-size:11px;font-weight:500;font-stretch:85%;fill:var(--costs)}
.board .id{stroke:var(--halo);stroke-width:4px;stroke-linejoin:round;paint-order:stroke}
.board .large-id{font-size:15.7px}
.board .pill{fill:var(--pill)}
.board .value{font-size:11.5px;font-weight:700;font-stretch:85%;fill:var(--on-pill)}
.board .large-value{font-size:15.7px}
.board .lone-value{font-size:15.7px;font-weight:700;font-stretch:85%;fill:var(--pill);text-anchor:end}
.board .shared-value{font-size:15.7px;font-weight:600;font-stretch:85%;fill:var(--costs);text-anchor:start}
.board .house{fill:var(--roof)}
.board .pip{fill:var(--name-ink)}
.board .pip.to-come{opacity:.28}
.board .water-name,.board .ocean-name{fill:var(--water-ink);font-style:italic;font-weight:500;opacity:.85}
.board .water-name{font-size:14.5px;letter-spacing:.1em}
.board .ocean-name{font-size:21px;letter-spacing:.3em}
.board .large-water-name{font-size:var(--large-text,20px)}
.board .large-ocean-name{font-size:27px}
.board .dial{fill:var(--dial);stroke:var(--dial-rim);stroke-width:2.5}
.board .dial-ring{stroke:var(--dial-brass);stroke-width:1.6}
.board .dial-step{fill:none;stroke:var(--dial-step);stroke-width:5.5}
.board .dial-step.red-step{stroke:var(--dial-end)}
.board .dial-step.to-come{opacity:.25}
.board .needle{stroke:var(--dial-ink);stroke-width:2.4;stroke-linecap:round}
.board .hub{fill:var(--dial-ink)}
.board .dial-count,.board .dial-name{fill:var(--dial-ink);font-size:11.5px;font-weight:700;font-stretch:85%}
.board .dial-name{font-size:12px;font-weight:600;font-stretch:100%}
.board .card-title{font-weight:800;font-size:27px;fill:var(--dial-ink)}
.board .card-note{font-size:var(--card-text,17.5px);fill:var(--dial-ink)}
.board .card-note.strong{font-weight:700;stroke:var(--dial);stroke-width:5px;stroke-linejoin:round;paint-order:stroke}
.board .card-link{fill:none;stroke:var(--dial-rim);stroke-width:4;stroke-dasharray:2 7;stroke-linecap:round}
.board .card-star{fill:var(--dial-brass)}
[data-zoom] :is(.name,.cost,.id,.value,.pill,.lone-value,.shared-value,.dial-name,.dial-count){
transform-box:fill-box;transform-origin:center;transform:scale(var(--grow,1))}
[data-zoom] .lone-value{transform-origin:right}
[data-zoom] .shared-value{transform-origin:left}
[data-zoom] .station-letter{font-size:max(10.8px,var(--letter,0px));translate:0 calc(.36*(1em - 10.8px))}
[data-zoom] .large-station-letter{font-size:max(12.7px,var(--letter,0px));translate:0 calc(.36*(1em - 12.7px))}
[data-zoom] .narrow-station-letter{font-size:max(9px,var(--letter,0px));translate:0 calc(.36*(1em - 9px))}
[data-zoom] .slim-station-letter{font-size:max(6.5px,var(--letter,0px));translate:0 calc(.36*(1em - 6.5px))}
[data-zoom] .large-station-letter{font-stretch:80%}
[data-zoom]:not([data-zoom=far]) [id$=station]>circle{scale:min(var(--grow,1),1.3)}
[data-zoom] :is(.narrow-station-letter,.slim-station-letter){font-stretch:64%}
[data-zoom=far] :is(.name,.water-name,.ocean-name,.way-dot,.dial-name,.dial-count,.map-card>*,
[class*=station-letter]){display:none}
:is([data-zoom=far],[data-zoom=small]) :is(.wood-glyphs,.rock-glyphs,.cost,.value,.lone-value,.shared-value,
.pill,.pip,.house){display:none}
[data-zoom=near] .id{display:inline}
""",
)
