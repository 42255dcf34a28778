// A chart of days as SVG: an area for this period, a dashed line for the one
// before.  What it shows is also a table below or beside it, so that nobody
// depends on seeing it; arrow keys walk from point to point.

import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { labelled, ticks } from "../base/scale";

export interface Point {
  label: string;
  value: number;
  before?: number | null;
}

interface ChartProps {
  label: string;
  points: Point[];
  format: (value: number) => string;
  short: (value: number) => string;
  beforeLabel?: string;
  height?: number;
}

const pad = { top: 12, right: 22, bottom: 24, left: 52 };

export function Chart({ label, points, format, short, beforeLabel, height = 220 }: ChartProps) {
  const box = useRef<HTMLDivElement>(null);
  const width = useSignal(720);
  const at = useSignal<number | null>(null);
  useEffect(() => {
    const seen = box.current;
    if (!seen) {
      return;
    }
    const measure = new ResizeObserver(() => {
      width.value = Math.max(240, seen.clientWidth);
    });
    measure.observe(seen);
    return () => measure.disconnect();
  }, []);

  const max = Math.max(0, ...points.map((p) => Math.max(p.value, p.before ?? 0)));
  const lines = ticks(max);
  const top = lines[lines.length - 1];
  const w = width.value - pad.left - pad.right;
  const h = height - pad.top - pad.bottom;
  const x = (n: number) => pad.left + (points.length < 2 ? w / 2 : (n * w) / (points.length - 1));
  const y = (value: number) => pad.top + h - (value / top) * h;
  const path = (of: (p: Point) => number) =>
    points.map((p, n) => `${n ? "L" : "M"}${x(n).toFixed(1)} ${y(of(p)).toFixed(1)}`).join("");
  const area = points.length ? `${path((p) => p.value)}L${x(points.length - 1)} ${y(0)}L${x(0)} ${y(0)}Z` : "";
  const compared = points.some((p) => p.before !== undefined && p.before !== null);
  const point = at.value === null ? null : points[at.value] ?? null;

  const move = (event: PointerEvent) => {
    const left = event.clientX - (box.current?.getBoundingClientRect().left ?? 0) - pad.left;
    const n = Math.round((left / w) * (points.length - 1));
    at.value = points.length ? Math.max(0, Math.min(points.length - 1, n)) : null;
  };
  const walk = (event: KeyboardEvent) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (step && points.length) {
      event.preventDefault();
      const from = at.value ?? (step > 0 ? -1 : points.length);
      at.value = Math.max(0, Math.min(points.length - 1, from + step));
    }
  };
  return (
    <div class="chart" ref={box} tabIndex={0} role="group" aria-label={label}
      onPointerMove={move} onPointerLeave={() => { at.value = null; }}
      onKeyDown={walk} onBlur={() => { at.value = null; }}>
      <svg width={width.value} height={height} aria-hidden="true">
        {lines.map((value) => (
          <g key={value}>
            <line class="grid" x1={pad.left} x2={width.value - pad.right} y1={y(value)} y2={y(value)} />
            <text class="axis" x={pad.left - 8} y={y(value) + 4} text-anchor="end">{short(value)}</text>
          </g>
        ))}
        {labelled(points.length, w / 72).map((n) => (
          <text key={n} class="axis" x={x(n)} y={height - 6} text-anchor="middle">{points[n].label}</text>
        ))}
        <path class="area" d={area} />
        {compared && <path class="line-before" d={path((p) => p.before ?? 0)} />}
        <path class="line" d={path((p) => p.value)} />
        {points.length === 1 && <circle class="dot" cx={x(0)} cy={y(points[0].value)} r={4} />}
        {point && at.value !== null && (
          <g>
            <line class="cross" x1={x(at.value)} x2={x(at.value)} y1={pad.top} y2={pad.top + h} />
            <circle class="dot" cx={x(at.value)} cy={y(point.value)} r={4} />
          </g>
        )}
      </svg>
      <div class="chart-tip" aria-live="polite" hidden={!point}
        style={point && at.value !== null ? {
          left: `${Math.max(70, Math.min(width.value - 70, x(at.value)))}px`,
        } : undefined}>
        {point && <>
          <span class="faint">{point.label}</span> <strong>{format(point.value)}</strong>
          {compared && point.before !== null && point.before !== undefined
            && <span class="faint"> {beforeLabel} {format(point.before)}</span>}
        </>}
      </div>
    </div>
  );
}
