// Which questions would show a campaign, at which price, and why not: asked of
// the tables that workers serve from, before a cent is spent.

import { useSignal } from "@preact/signals";
import { ask, type Result } from "../api/client";
import { named, recall, remember, t } from "../base/prefs";
import { bid, count } from "../base/shown";
import { AdCard } from "../ui/ad";
import { Badge } from "../ui/feedback";
import { Field, Form, useForm } from "../ui/form";
import { Card } from "../ui/page";

type Answer = Result<"/v1/campaigns/{id}/preview", "post">["results"][number];
const most = 50; // queries of a request

export function PreviewCard({ id }: { id: string }) {
  const form = useForm(() => ({ queries: recall("queries") ?? t("preview.example"), location: "" }));
  const results = useSignal<Answer[] | null>(null);
  const submit = async (values: { queries: string; location: string }) => {
    const queries = values.queries.split("\n").map((q) => q.trim()).filter(Boolean).slice(0, most);
    if (!queries.length) {
      form.errors.value = { queries: t("form.required") };
      return;
    }
    remember("queries", queries.join("\n"));
    const { data } = await ask("post", "/v1/campaigns/{id}/preview", {
      path: { id },
      body: { queries, max_results: 3, ...(values.location ? { context: { location: values.location } } : {}) },
    });
    results.value = data.results;
  };
  return (
    <Card title={t("preview.title")}>
      <div class="stack">
        <Form form={form} onSubmit={submit} action={t("preview.ask")}>
          <Field form={form} name="queries" label={t("preview.queries")} hint={t("preview.hint")} rows={4} />
          <Field form={form} name="location" label={t("preview.location")} required={false}
            placeholder="US-CA" />
        </Form>
        <div aria-live="polite">
          {results.value && <Results results={results.value} />}
        </div>
      </div>
    </Card>
  );
}

export function Results({ results }: { results: Answer[] }) {
  return (
    <ul class="list">
      {results.map((result) => (
        <li key={result.query} class="stack">
          <div class="row between">
            <span class="strong">{result.query}</span>
            <Badge group="decision" word={result.decision} />
          </div>
          {result.decision === "SHOW" ? (
            <>
              <p class="soft small">
                {t("preview.rank", { rank: count(result.rank), price: bid(result.price_micros) })}
              </p>
              {result.ads.slice(0, 1).map((ad) => (
                <AdCard key={ad.ad_id} title={ad.title} advertiser={ad.advertiser} micros={ad.price_micros}
                  currency={ad.currency} image={ad.image_url} description={ad.description} brand={ad.brand} />
              ))}
            </>
          ) : <p class="soft small">{named("reason", result.reason)}</p>}
        </li>
      ))}
    </ul>
  );
}

