// SPDX-License-Identifier: Apache-2.0
// A dashboard in Grafana's format.
import {
  BigValueGraphMode,
  GraphThresholdsStyleConfigBuilder,
  GraphThresholdsStyleMode,
  LegendDisplayMode,
  LegendPlacement,
  SortOrder,
  StackingConfigBuilder,
  StackingMode,
  TooltipDisplayMode,
  VizLegendOptionsBuilder,
  VizTooltipOptionsBuilder,
} from '@grafana/grafana-foundation-sdk/common';
import {
  DashboardBuilder,
  DashboardCursorSync,
  DatasourceVariableBuilder,
  QueryVariableBuilder,
  RowBuilder,
  ThresholdsConfigBuilder,
  ThresholdsMode,
  VariableRefresh,
  VariableSort,
  type Dashboard,
} from '@grafana/grafana-foundation-sdk/dashboard';
import { DataqueryBuilder } from '@grafana/grafana-foundation-sdk/prometheus';
import { PanelBuilder as StatBuilder } from '@grafana/grafana-foundation-sdk/stat';
import { PanelBuilder as TimeseriesBuilder } from '@grafana/grafana-foundation-sdk/timeseries';
import type { DashboardSpec, PanelSpec, VariableSpec } from './panel.ts';

/** The importer of a dashboard chooses its Prometheus. */
const DATASOURCE = { type: 'prometheus', uid: '${datasource}' } as const;
const HEIGHT = { timeseries: 8, stat: 4 } as const;
const FILL = { stacked: 30, plain: 8 } as const;

/** Builds a dashboard with Grafana's own library, so that it has Grafana's format. */
export function grafanaDashboard({ uid, title, description, variables = [], rows }: DashboardSpec): Dashboard {
  const builder = new DashboardBuilder(title)
    .uid(uid)
    .description(description)
    .tags(['writ'])
    .editable()
    .refresh('30s')
    .time({ from: 'now-1h', to: 'now' })
    .timezone('browser')
    .tooltip(DashboardCursorSync.Crosshair)
    .withVariable(new DatasourceVariableBuilder('datasource').label('Data source').type('prometheus'));
  for (const variable of variables) builder.withVariable(variableOf(variable));
  // Links to a panel contain its number: they stay valid as long as new panels are added at the end.
  let id = 0;
  for (const row of rows) {
    builder.withRow(new RowBuilder(row.title).id(++id));
    for (const panel of row.panels)
      builder.withPanel((panel.kind === 'stat' ? statOf(panel) : timeseriesOf(panel)).id(++id));
  }
  return builder.build();
}

function variableOf({ name, label, metric }: VariableSpec): QueryVariableBuilder {
  return new QueryVariableBuilder(name)
    .label(label)
    .datasource(DATASOURCE)
    .query({ query: `label_values(${metric}, ${name})`, refId: name })
    .refresh(VariableRefresh.OnTimeRangeChanged)
    .sort(VariableSort.AlphabeticalAsc);
}

function thresholdsOf({ thresholds = [], below = 'green' }: PanelSpec): ThresholdsConfigBuilder {
  return new ThresholdsConfigBuilder()
    .mode(ThresholdsMode.Absolute)
    .steps([{ value: null, color: below }, ...thresholds.map(({ from, color }) => ({ value: from, color }))]);
}

function targetsOf({ queries, kind }: PanelSpec): DataqueryBuilder[] {
  return queries.map(({ expr, legend }, n) => {
    const target = new DataqueryBuilder()
      .refId(String.fromCharCode('A'.charCodeAt(0) + n))
      .expr(expr)
      .legendFormat(legend === '' ? '__auto' : legend)
      .datasource(DATASOURCE);
    return kind === 'stat' ? target.instant() : target.range();
  });
}

function statOf(spec: PanelSpec): StatBuilder {
  return new StatBuilder()
    .title(spec.title)
    .description(spec.description)
    .unit(spec.unit)
    .datasource(DATASOURCE)
    .span(spec.width)
    .height(HEIGHT.stat)
    .thresholds(thresholdsOf(spec))
    .graphMode(BigValueGraphMode.None)
    .targets(targetsOf(spec));
}

function timeseriesOf(spec: PanelSpec): TimeseriesBuilder {
  const panel = new TimeseriesBuilder()
    .title(spec.title)
    .description(spec.description)
    .unit(spec.unit)
    .min(0)
    .datasource(DATASOURCE)
    .span(spec.width)
    .height(HEIGHT.timeseries)
    .lineWidth(1)
    .fillOpacity(spec.stacked === true ? FILL.stacked : FILL.plain)
    .thresholds(thresholdsOf(spec))
    .legend(
      new VizLegendOptionsBuilder()
        .displayMode(LegendDisplayMode.List)
        .placement(LegendPlacement.Bottom)
        .showLegend(true),
    )
    .tooltip(new VizTooltipOptionsBuilder().mode(TooltipDisplayMode.Multi).sort(SortOrder.Descending))
    .targets(targetsOf(spec));
  if (spec.thresholds !== undefined)
    panel.thresholdsStyle(new GraphThresholdsStyleConfigBuilder().mode(GraphThresholdsStyleMode.Dashed));
  return spec.stacked === true ? panel.stacking(new StackingConfigBuilder().mode(StackingMode.Normal)) : panel;
}
