// The frame of a screen: title, actions, sections, cards of figures.

import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { Link } from "./button";
import { Icon } from "./icon";

interface PageProps {
  title: string;
  lead?: ComponentChildren;
  actions?: ComponentChildren;
  back?: { to: string; label: string };
  children: ComponentChildren;
}

export function Page({ title, lead, actions, back, children }: PageProps) {
  useEffect(() => {
    document.title = `${title} · Ads`;
  }, [title]);
  return (
    <>
      <header class="page-head">
        <div>
          {back && <Link to={back.to} class="back"><Icon name="back" />{back.label}</Link>}
          <h1 tabIndex={-1}>{title}</h1>
          {lead && <div class="lead">{lead}</div>}
        </div>
        {actions && <div class="actions">{actions}</div>}
      </header>
      {children}
    </>
  );
}

export function Card({ title, actions, children, flush }:
  { title?: string; actions?: ComponentChildren; children: ComponentChildren; flush?: boolean }) {
  return (
    <section class={flush ? "card flush" : "card"}>
      {title && <header><h2>{title}</h2>{actions && <div class="actions">{actions}</div>}</header>}
      {children}
    </section>
  );
}

interface FigureProps {
  label: string;
  value: string;
  /** Against the period before: 0.12 is 12 % more. */
  change?: number | null;
  changeText?: string;
  /** More is neither good nor bad, as of spend. */
  neutral?: boolean;
  note?: ComponentChildren;
}

export function Figure({ label, value, change, changeText, neutral, note }: FigureProps) {
  const tone = !change || neutral ? "" : change > 0 ? "up" : "down";
  return (
    <div class="figure">
      <dt>{label}</dt>
      <dd>
        <span class="figure-value">{value}</span>
        {changeText && <span class={`change ${tone}`}>{changeText}</span>}
        {note && <span class="figure-note">{note}</span>}
      </dd>
    </div>
  );
}

export function Figures({ children }: { children: ComponentChildren }) {
  return <dl class="figures">{children}</dl>;
}

/** How much of a whole is used. */
export function Meter({ label, share }: { label: string; share: number }) {
  const part = Math.max(0, Math.min(1, share));
  return (
    <div class={part >= 1 ? "meter full" : "meter"} role="meter" aria-label={label}
      aria-valuemin={0} aria-valuemax={100} aria-valuenow={Math.round(part * 100)}>
      <span style={{ width: `${part * 100}%` }} />
    </div>
  );
}
