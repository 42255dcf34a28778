// Type what somebody would ask and see the answer.  Recommend takes a key, not a
// person: it is typed in here, stays in this page's memory and is never stored.

import { signal, useSignal } from "@preact/signals";
import type { components } from "../api/schema";
import { Problem } from "../api/problem";
import { curl } from "../api/curl";
import { named, t } from "../base/prefs";
import { count, percent } from "../base/shown";
import { AdCard } from "../ui/ad";
import { Link } from "../ui/button";
import { CodeBox } from "../ui/code";
import { Badge, Notice } from "../ui/feedback";
import { Field, Form, useForm } from "../ui/form";
import { Card, Page } from "../ui/page";

type Answer = components["schemas"]["Recommendation"];
type Explanation = components["schemas"]["Explanation"];

const key = signal(""); // as long as the page

const placements = ["inline", "card", "sidebar", "search_results", "followup", "citation", "voice"];

export function PlaygroundPage() {
  const form = useForm(() => ({
    key: key.value, query: t("preview.example"), placement: "inline", location: "", language: "",
  }));
  const answer = useSignal<Answer | null>(null);
  const body = useSignal("");
  const submit = async (values: typeof form.values.value) => {
    key.value = values.key.trim();
    body.value = JSON.stringify({
      query: values.query, placement: values.placement,
      context: {
        ...(values.location ? { location: values.location } : {}),
        ...(values.language ? { language: values.language } : {}),
      },
    });
    const got = await fetch("/v1/ads/recommend", {
      method: "POST",
      headers: { "Content-Type": "application/json", Authorization: `Bearer ${key.value}`, "Ads-Explain": "1" },
      body: body.value,
    }).catch(() => { throw new Problem(0, {}, null); });
    const document = await got.json();
    if (!got.ok) {
      throw new Problem(got.status, document, got.headers.get("X-Request-Id"));
    }
    answer.value = document as Answer;
  };
  return (
    <Page title={t("nav.playground")} lead={t("playground.lead")}>
      <div class="editor">
        <Card>
          <Form form={form} onSubmit={submit} action={t("playground.ask")}>
            <Field form={form} name="key" type="password" label={t("playground.key")} hint={t("playground.key.hint")} autocomplete="off" />
            <p class="small"><Link to="/developers" class="inline-link">{t("playground.make_key")}</Link></p>
            <Field form={form} name="query" label={t("playground.query")} rows={3} />
            <div class="pair">
              <Field form={form} name="placement" label={t("group.placement")} options={placements.map((p) => [p, p])} />
              <Field form={form} name="location" label={t("preview.location")} placeholder="US-CA" />
              <Field form={form} name="language" label={t("product.language")} placeholder="de" />
            </div>
          </Form>
        </Card>
        <aside class="stack" aria-live="polite">
          {answer.value ? <Shown answer={answer.value} body={body.value} />
            : <Notice>{t("playground.empty")}</Notice>}
        </aside>
      </div>
    </Page>
  );
}

function Shown({ answer, body }: { answer: Answer; body: string }) {
  return (
    <>
      <Card title={t("playground.answer")} actions={<Badge group="decision" word={answer.decision} />}>
        {answer.decision === "NO_AD"
          ? <p>{named("reason", answer.reason)}</p>
          : answer.ads.map((ad) => (
            <AdCard key={ad.ad_id} title={ad.title} advertiser={ad.advertiser} micros={ad.price_micros ?? ad.price * 1e6}
              currency={ad.currency} image={ad.image_url} description={ad.description} brand={ad.brand} label={ad.disclosure} />
          ))}
      </Card>
      {answer.explain && <Why explain={answer.explain} />}
      <Card title={t("playground.request")}>
        <CodeBox text={curl(location.origin, { method: "POST", url: "/v1/ads/recommend", body })} />
      </Card>
    </>
  );
}

function Why({ explain }: { explain: Explanation }) {
  const refused = Object.entries(explain.refused ?? {}) as [string, number][];
  return (
    <Card title={t("playground.why")}>
      <dl class="pairs">
        {explain.guard && <><dt>{t("why.guard")}</dt><dd>{t(explain.guard.passed ? "why.passed" : "why.stopped")} {explain.guard.topic}</dd></>}
        {explain.intent && <><dt>{t("why.intent")}</dt><dd>{percent(explain.intent.score)} ({t("why.needed")} {percent(explain.intent.threshold)})</dd></>}
        {explain.understood && <><dt>{t("why.understood")}</dt><dd>{explain.understood.words}{" "}
          {explain.understood.kinds.filter((k) => k.wanted).map((k) => k.id).join(", ")}</dd></>}
        {explain.match && <><dt>{t("why.candidates")}</dt><dd>{count(explain.match.candidates)}</dd></>}
        {refused.map(([reason, n]) => <><dt key={reason}>{named("reason", reason)}</dt><dd>{count(Number(n))}</dd></>)}
        <dt>{t("why.time")}</dt><dd>{count(explain.times.decide_us)} µs</dd>
      </dl>
    </Card>
  );
}
