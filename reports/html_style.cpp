// The style of the page. No `<` and no `&` stand in it, so that it is XML as well.
#include "reports/html.hpp"

namespace leaseproof::reports {

std::string_view page_style() {
  return R"css(
:root { color-scheme: light dark;
  --page: #ffffff; --ink: #1c2128; --soft: #59636e; --rule: #d1d9e0; --panel: #f6f8fa;
  --good: #1a7f37; --bad: #cf222e; --doubtful: #9a6700;
  --good-panel: #dafbe1; --bad-panel: #ffebe9; --doubtful-panel: #fff8c5;
  --lease: #0969da; --fault: #bc4c00; }
@media (prefers-color-scheme: dark) { :root {
  --page: #0d1117; --ink: #e6edf3; --soft: #9198a1; --rule: #3d444d; --panel: #151b23;
  --good: #3fb950; --bad: #f85149; --doubtful: #d29922;
  --good-panel: #12261e; --bad-panel: #2d1315; --doubtful-panel: #272115;
  --lease: #4493f8; --fault: #f0883e; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--ink);
  font: 15px/1.45 system-ui, "Liberation Sans", Arial, sans-serif; }
main { max-width: 1240px; margin: 0 auto; padding: 24px 28px 48px; }
header { border-left: 8px solid var(--soft); padding: 14px 22px; border-radius: 6px;
  background: var(--panel); }
header.good { border-color: var(--good); background: var(--good-panel); }
header.bad { border-color: var(--bad); background: var(--bad-panel); }
header.doubtful { border-color: var(--doubtful); background: var(--doubtful-panel); }
h1 { margin: 0 0 6px; font-size: 40px; line-height: 1.1; }
header.good h1 { color: var(--good); } header.bad h1 { color: var(--bad); }
header.doubtful h1 { color: var(--doubtful); }
h2 { font-size: 20px; margin: 32px 0 8px; }
h3 { font-size: 17px; margin: 22px 0 4px; }
summary { cursor: pointer; color: var(--soft); }
summary h2 { display: inline-block; margin: 20px 0 4px; color: var(--ink); }
p { margin: 4px 0 8px; }
.what, .legend, section p, footer { color: var(--soft); }
section p.why { color: var(--ink); }
footer { margin-top: 36px; border-top: 1px solid var(--rule); padding-top: 10px; }
ul { margin: 4px 0; padding-left: 22px; overflow-wrap: anywhere; }
ul.reasons { list-style: none; padding-left: 0; }
ul.reasons > li { margin: 8px 0; }
li.bad > b { color: var(--bad); } li.doubtful > b { color: var(--doubtful); }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-size: 13px; }
th, td { text-align: left; vertical-align: top; padding: 4px 10px; overflow-wrap: break-word;
  border-bottom: 1px solid var(--rule); }
table.wide { font-size: 12px; } table.wide th, table.wide td { padding: 4px 6px; }
th { color: var(--soft); font-weight: 600; vertical-align: bottom; overflow-wrap: normal; }
th.n, td.n { text-align: right; font-variant-numeric: tabular-nums; overflow-wrap: normal; }
td.good { color: var(--good); } td.bad { color: var(--bad); font-weight: 600; }
td.doubtful { color: var(--doubtful); font-weight: 600; } td.faint { color: var(--soft); }
pre.replay { background: var(--panel); border: 1px solid var(--rule); border-radius: 6px;
  padding: 8px 12px; white-space: pre-wrap; overflow-wrap: anywhere;
  font: 13px/1.4 ui-monospace, "Liberation Mono", monospace; }
span[data-from] { position: relative; }
span[data-from]:hover::after { content: attr(data-from); position: absolute; left: 0; top: 100%;
  z-index: 2; width: max-content; max-width: 60ch; max-height: 12em; overflow: hidden;
  padding: 3px 8px; border: 1px solid var(--rule); background: var(--panel); color: var(--ink);
  font: 12px/1.4 ui-monospace, "Liberation Mono", monospace; text-align: left;
  overflow-wrap: anywhere; }
svg { display: block; } svg text { fill: var(--ink); font-size: 12px; }
svg.lanes text { font-family: ui-monospace, "Liberation Mono", "DejaVu Sans Mono", monospace; }
svg.lanes .head, svg.lanes .lane-kind, svg.lanes .why, svg.lanes .time { fill: var(--soft); }
svg.lanes .lane-name { font-weight: 700; } svg.lanes .lane-kind { font-size: 10px; }
svg.lanes .answer { fill: var(--ink); } svg.lanes .says { font-weight: 700; }
svg.lanes .changed { fill: var(--soft); } svg.lanes .bad { fill: var(--bad); font-weight: 700; }
svg.lanes .fault { fill: var(--fault); }
svg.lanes .bar-name { font-size: 10px; fill: var(--lease); }
svg.lanes line.lane { stroke: var(--rule); stroke-width: 2; }
svg.lanes line.still { stroke: var(--page); stroke-width: 3; stroke-dasharray: 4 5; }
svg.lanes line.crash { stroke: var(--bad); stroke-width: 3; }
svg.lanes line.reach { stroke: var(--soft); stroke-dasharray: 2 3; }
svg.lanes line.bar-end { stroke: var(--lease); stroke-width: 2; }
svg.lanes .dot { fill: var(--ink); stroke: var(--page); stroke-width: 1.5; }
svg.lanes .dot.open { fill: var(--page); stroke: var(--ink); stroke-width: 2; }
svg.lanes .bolt { fill: var(--fault); } svg.lanes .reached { fill: var(--doubtful); }
svg.lanes .bar { fill: var(--lease); } svg.lanes .bar.expired { fill-opacity: 0.25; }
svg.lanes .inner { fill: var(--panel); } svg.lanes .broken { fill: var(--bad-panel); }
svg.lanes .broken-edge { fill: var(--bad); }
svg.plot .axis line { stroke: var(--rule); } svg.plot .axis text { fill: var(--soft); }
svg.plot .span { stroke: var(--lease); stroke-width: 2; } svg.plot .point { fill: var(--lease); }
svg.plot .value { fill: var(--soft); }
)css";
}

}  // namespace leaseproof::reports
