// SPDX-License-Identifier: Apache-2.0
// A page with the panels of a dashboard, plotted from Prometheus' answers.
import type { DashboardSpec, PanelSpec, Unit } from './panel.ts';

/** The spec's answers, panel by panel in the dashboard's order. */
export interface Answered {
  readonly panels: readonly { readonly title: string; readonly series: readonly PlottedSeries[] }[];
}

export interface PlottedSeries {
  readonly legend: string;
  readonly values: readonly (readonly [seconds: number, value: string])[];
}

interface Span {
  readonly from: number;
  readonly to: number;
}

/** Size of the whole picture, in pixels. */
export const WIDTH = 1_440;
const COLUMN = WIDTH / 24;
const HEIGHTS = { timeseries: 220, stat: 96 } as const;
const ROW_TITLE = 32;
const HEAD = 64;
/** The palette of Okabe and Ito, which colour-blind people can distinguish. */
const COLORS = ['#0072b2', '#e69f00', '#009e73', '#d55e00', '#cc79a7', '#56b4e9', '#7a7a00', '#444444'];
/** Maximum of legend entries; a test system has few more. */
const LEGEND_MAX = 8;

const STYLE = `body{margin:0;font:12px system-ui,sans-serif;background:#fff;color:#222;width:${String(WIDTH)}px}
header{height:${String(HEAD)}px;padding:8px 12px;box-sizing:border-box}h1{font-size:18px;margin:0 0 4px}h2{font-size:13px;margin:0;padding:8px 12px;height:${String(ROW_TITLE)}px;box-sizing:border-box}
.row{display:flex;flex-wrap:wrap}.panel{box-sizing:border-box;padding:4px}.panel>div{border:1px solid #ddd;border-radius:3px;height:100%;box-sizing:border-box;padding:6px;overflow:hidden}
.title{font-weight:600;white-space:nowrap;overflow:hidden;text-overflow:ellipsis}.stat{font-size:28px;text-align:center;padding-top:12px;color:#00704a}
.legend{font-size:10px;line-height:13px;height:26px;overflow:hidden}.legend b{margin-left:8px}svg{display:block}`;

/** The page, and how high it is. */
export function pageOf(
  spec: DashboardSpec,
  answered: Answered,
  span: Span,
): { readonly html: string; readonly height: number } {
  let at = 0;
  let height = HEAD;
  const rows = spec.rows.map(({ title, panels }) => {
    height += ROW_TITLE + heightOf(panels);
    const drawn = panels.map((panel) => panelHtml(panel, answered.panels[at++]?.series ?? [], span));
    return `<h2>${escaped(title)}</h2><div class="row">${drawn.join('')}</div>`;
  });
  const note =
    'Plotted from the queries of this dashboard, on a test system under a small load. Not a picture of Grafana.';
  const html = `<!doctype html><meta charset="utf-8"><style>${STYLE}</style><header><h1>${escaped(spec.title)}</h1>${note}</header>${rows.join('')}`;
  return { html, height };
}

/** Panels wrap to the next line, as in Grafana. */
function heightOf(panels: readonly PanelSpec[]): number {
  let [height, used, line] = [0, 24, 0];
  for (const { width, kind } of panels) {
    if (used + width > 24) {
      height += line;
      [used, line] = [0, 0];
    }
    used += width;
    line = Math.max(line, HEIGHTS[kind]);
  }
  return height + line;
}

function panelHtml(panel: PanelSpec, series: readonly PlottedSeries[], span: Span): string {
  const [width, height] = [panel.width * COLUMN, HEIGHTS[panel.kind]];
  const body =
    panel.kind === 'stat'
      ? `<div class="stat">${figureOf(series, panel.unit)}</div>`
      : chartOf(panel, series, { span, width: width - 24, height: height - 64 });
  return `<div class="panel" style="width:${String(width)}px;height:${String(height)}px"><div><div class="title">${escaped(panel.title)}${panel.stacked === true ? ' (stacked)' : ''}</div>${body}</div></div>`;
}

const figureOf = (series: readonly PlottedSeries[], unit: Unit): string => {
  const value = Number(series[0]?.values.at(-1)?.[1]);
  return Number.isFinite(value) ? format(value, unit) : 'no data';
};

interface Frame {
  readonly span: Span;
  readonly width: number;
  readonly height: number;
}

const LEFT = 64;
const BOTTOM = 16;

function chartOf(panel: PanelSpec, series: readonly PlottedSeries[], { span, width, height }: Frame): string {
  const lines = panel.stacked === true ? stacked(series) : series.map(pointsOf);
  // Leave space for a curve above zero lines.
  const top = (Math.max(0, ...lines.flat().map(([, value]) => value)) || 1) * 1.1;
  const x = (seconds: number): number => LEFT + ((seconds - span.from) / (span.to - span.from)) * (width - LEFT);
  const y = (value: number): number => (height - BOTTOM) * (1 - value / top);
  const curves = lines.map(
    (points, n) =>
      `<polyline fill="none" stroke="${colorOf(n)}" stroke-width="1.5" points="${points.map(([at, value]) => `${x(at).toFixed(1)},${y(value).toFixed(1)}`).join(' ')}"/>`,
  );
  const grid = [0, 0.5, 1].map((share) => {
    const value = (top / 1.1) * share;
    return `<line x1="${String(LEFT)}" x2="${String(width)}" y1="${y(value).toFixed(1)}" y2="${y(value).toFixed(1)}" stroke="#eee"/><text x="${String(LEFT - 4)}" y="${(y(value) + 4).toFixed(1)}" text-anchor="end" font-size="10" fill="#666">${format(value, panel.unit)}</text>`;
  });
  const seconds = `<text x="${String(LEFT)}" y="${String(height - 2)}" font-size="10" fill="#666">0 s</text><text x="${String(width)}" y="${String(height - 2)}" font-size="10" text-anchor="end" fill="#666">${(span.to - span.from).toFixed(0)} s</text>`;
  const legend = series
    .slice(0, LEGEND_MAX)
    .map(({ legend: name }, n) => `<b style="color:${colorOf(n)}">■</b> ${escaped(name === '' ? panel.title : name)}`)
    .join('');
  return `<svg width="${String(width)}" height="${String(height)}">${grid.join('')}${curves.join('')}${seconds}</svg><div class="legend">${legend}</div>`;
}

const colorOf = (n: number): string => COLORS[n % COLORS.length] ?? '#000';

type Point = readonly [seconds: number, value: number];

const pointsOf = ({ values }: PlottedSeries): Point[] =>
  values.map(([at, value]) => [at, Number(value)] as const).filter(([, value]) => Number.isFinite(value));

/** Stacked series: each on top of the earlier ones. */
function stacked(series: readonly PlottedSeries[]): Point[][] {
  const sums = new Map<number, number>();
  return series.map((each) =>
    pointsOf(each).map(([at, value]) => {
      const sum = (sums.get(at) ?? 0) + value;
      sums.set(at, sum);
      return [at, sum] as const;
    }),
  );
}

const SUFFIXES: Readonly<Record<Unit, string>> = {
  short: '',
  s: ' s',
  bytes: ' B',
  Bps: ' B/s',
  percentunit: ' %',
  reqps: '/s',
  ops: '/s',
};

function format(value: number, unit: Unit): string {
  if (unit === 'percentunit') return `${(value * 100).toFixed(1)} %`;
  if (unit === 's' && value > 0 && value < 1) return `${(value * 1_000).toPrecision(3)} ms`;
  if ((unit === 'bytes' || unit === 'Bps') && value >= 1e6)
    return `${(value / 1e6).toFixed(1)} M${SUFFIXES[unit].trim()}`;
  return `${String(Number(value.toPrecision(3)))}${SUFFIXES[unit]}`;
}

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
