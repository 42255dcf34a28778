// How the service is, as its worker says: tables, journal, adsd, database.  The
// worker shows it to the addresses that nginx.conf allows.

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { components } from "../api/schema";
import { useData } from "../api/data";
import { t } from "../base/prefs";
import { count } from "../base/shown";
import { Link } from "../ui/button";
import { Badge, Failed, Loading, Notice } from "../ui/feedback";
import { Card, Figure, Figures, Page } from "../ui/page";

type Readiness = components["schemas"]["Readiness"];
const every = 5_000;

function useReadiness(): Readiness | "hidden" | null {
  const ready = useSignal<Readiness | "hidden" | null>(null);
  useEffect(() => {
    const look = async () => {
      try {
        const answer = await fetch("/readyz");
        ready.value = answer.ok || answer.status === 503 ? await answer.json() : "hidden";
      } catch {
        ready.value = "hidden";
      }
    };
    void look();
    const timer = setInterval(() => void look(), every);
    return () => clearInterval(timer);
  }, []);
  return ready.value;
}

export function HealthPage() {
  return (
    <Page title={t("nav.health")}>
      <Parts />
      <Waiting />
    </Page>
  );
}

function Parts() {
  const ready = useReadiness();
  if (ready === null) {
    return <Loading />;
  }
  if (ready === "hidden") {
    return <Notice kind="warn">{t("health.hidden")}</Notice>;
  }
  const lag = ready.journal.pending_bytes;
  const word = (good: boolean) => <Badge group="health" word={good ? "ok" : "failed"} />;
  return (
    <>
      <Figures>
        <Figure label={t("health.tables")} value={t("health.seconds", { n: count(ready.tables.age_s) })}
          note={t("health.generation", { n: count(ready.tables.generation) })} />
        <Figure label={t("health.lag")} value={t("health.kb", { n: count(Math.ceil(lag / 1024)) })}
          note={t("health.committed", { n: count(Math.ceil(ready.journal.committed_bytes / 1024)) })} />
        <Figure label={t("health.pressure")} value={count(ready.journal.pressure)} note={t("health.pressure.text")} />
        <Figure label={t("health.heartbeat")} value={t("health.ms", { n: count(ready.adsd.heartbeat_age_ms) })} />
      </Figures>
      <Card title={t("health.parts")}>
        <dl class="pairs">
          <dt>{t("health.tables_loaded")}</dt><dd>{word(ready.tables.loaded)}</dd>
          <dt>{t("health.live")}</dt><dd>{word(ready.live.mapped)}</dd>
          <dt>adsd</dt><dd>{word(ready.adsd.alive)}</dd>
          <dt>PostgreSQL</dt><dd>{word(ready.database.up)}</dd>
          <dt>{t("health.journal")}</dt><dd>{word(ready.journal.writable)}</dd>
        </dl>
      </Card>
    </>
  );
}

/** What waits for the operator's hand. */
function Waiting() {
  const reviews = useData("/v1/platform/reviews", { query: { status: "pending", limit: 100 }, every });
  const topups = useData("/v1/platform/topups", { query: { status: "pending", limit: 100 }, every });
  if (!reviews.data || !topups.data) {
    const problem = reviews.problem ?? topups.problem;
    return problem ? <Failed problem={problem} retry={reviews.reload} /> : <Loading />;
  }
  const some = (list: { data: unknown[]; has_more: boolean }) =>
    `${count(list.data.length)}${list.has_more ? "+" : ""}`;
  return (
    <Card title={t("health.waiting")}>
      <ul class="list">
        <li class="line"><span>{t("nav.reviews")}: <strong>{some(reviews.data)}</strong></span>
          <Link to="/reviews" class="inline-link">{t("attention.open")}</Link></li>
        <li class="line"><span>{t("nav.topups")}: <strong>{some(topups.data)}</strong></span>
          <Link to="/topups" class="inline-link">{t("attention.open")}</Link></li>
      </ul>
    </Card>
  );
}
