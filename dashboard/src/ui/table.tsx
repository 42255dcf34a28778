// Tables: a plain one, and one of many rows of which only those that are seen
// are in the page.

import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { t } from "../base/prefs";
import { visible } from "../base/scale";

export interface Column<T> {
  key: string;
  label: string;
  show: (row: T) => ComponentChildren;
  /** A number: to the right, digits below each other. */
  number?: boolean;
  /** Left out on a narrow screen. */
  spare?: boolean;
  /** The part of the width that it takes in a table of many rows. */
  part?: string;
}

const kind = <T,>(column: Column<T>) =>
  [column.number && "number", column.spare && "spare"].filter(Boolean).join(" ") || undefined;

interface TableProps<T> {
  label: string;
  columns: Column<T>[];
  rows: T[];
  id: (row: T) => string;
}

export function Table<T>({ label, columns, rows, id }: TableProps<T>) {
  return (
    <div class="table-box" role="region" aria-label={label} tabIndex={0}>
      <table>
        <thead>
          <tr>{columns.map((c) => (
            <th key={c.key} scope="col" class={kind(c)}>
              {c.label || <span class="unseen">{t("table.do")}</span>}
            </th>
          ))}</tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={id(row)}>
              {columns.map((c) => <td key={c.key} class={kind(c)}>{c.show(row)}</td>)}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const rowHeight = 48; // px, as in style.css

/**
 * As Table, for thousands of rows: more are asked for by `more` when the end
 * comes near.  `total` is how many there are in all, null while that is unknown.
 */
export function LongTable<T>({ label, columns, rows, id, more, total }:
  TableProps<T> & { more?: () => void; total: number | null }) {
  const box = useRef<HTMLDivElement>(null);
  const top = useSignal(0);
  const height = useSignal(600);
  useEffect(() => {
    const seen = box.current;
    if (!seen) {
      return;
    }
    const measure = new ResizeObserver(() => {
      height.value = seen.clientHeight;
    });
    measure.observe(seen);
    return () => measure.disconnect();
  }, []);
  const part = visible(top.value, height.value, rowHeight, rows.length);
  const end = part.first + part.rows;
  useEffect(() => {
    if (more && end > rows.length - 50) {
      more();
    }
  }, [end, rows.length, more]);
  const shown = rows.slice(part.first, end);
  const parts = (of: Column<T>[]) => of.map((c) => c.part ?? "1fr").join(" ");
  const grid = { "--wide": parts(columns), "--narrow": parts(columns.filter((c) => !c.spare)) };
  return (
    <div class="long-table" ref={box} role="region" aria-label={label} tabIndex={0}
      onScroll={(event) => { top.value = event.currentTarget.scrollTop; }}>
      <div role="table" aria-label={label} aria-rowcount={total === null ? -1 : total + 1}>
        <div role="row" class="long-head" style={grid} aria-rowindex={1}>
          {columns.map((c) => <span key={c.key} role="columnheader" class={kind(c)}>{c.label}</span>)}
        </div>
        <div role="rowgroup" class="long-body" style={{ height: `${rows.length * rowHeight}px` }}>
          {shown.map((row, n) => (
            <div key={id(row)} role="row" class="long-row" aria-rowindex={part.first + n + 2}
              style={{ ...grid, transform: `translateY(${(part.first + n) * rowHeight}px)` }}>
              {columns.map((c) => (
                <span key={c.key} role="cell" class={kind(c)}>{c.show(row)}</span>
              ))}
            </div>
          ))}
        </div>
      </div>
    </div>
  );
}
