// Products that wait for review, each as its ad will look; a or r on the
// keyboard decides the one that has the focus.

import { useSignal } from "@preact/signals";
import { ask, type Result } from "../api/client";
import { changed, useData } from "../api/data";
import { t } from "../base/prefs";
import { query, setQuery } from "../base/router";
import { currency, time } from "../base/shown";
import { AdCard } from "../ui/ad";
import { Button } from "../ui/button";
import { Dialog } from "../ui/dialog";
import { Badge, Empty, Failed, Loading, say } from "../ui/feedback";
import { attempt, Field, Form, useForm } from "../ui/form";
import { Card, Page } from "../ui/page";
import { Tabs } from "../ui/tabs";

type Review = Result<"/v1/platform/reviews", "get">["data"][number];
const statuses = ["pending", "approved", "rejected"] as const;

async function approve(review: Review): Promise<void> {
  await attempt(async () => {
    await ask("post", "/v1/platform/reviews", {
      body: { product_id: review.product_id, decision: "approve", updated_at: review.updated_at },
    });
    changed("/v1/platform/reviews");
    say(t("review.approved_now", { title: review.title }));
  }, say);
}

export function ReviewsPage() {
  const status = statuses.find((s) => s === query.value.get("status")) ?? "pending";
  const { data, problem, reload } = useData("/v1/platform/reviews", { query: { status, limit: 50 } });
  const rejecting = useSignal<Review | null>(null);
  return (
    <Page title={t("nav.reviews")} lead={t("review.lead")}>
      <div class="toolbar">
        <Tabs label={t("product.review")} value={status}
          options={statuses.map((s) => [s, t(`review.${s}`)])} onChange={(s) => setQuery({ status: s })} />
      </div>
      {problem && !data ? <Failed problem={problem} retry={reload} /> : !data ? <Loading rows={6} />
        : data.data.length === 0 ? <Card><Empty icon="check" title={t("review.none")}><p>{t("review.none.text")}</p></Empty></Card>
          : data.data.map((review) => (
            <One key={review.product_id} review={review} onReject={() => { rejecting.value = review; }} />
          ))}
      {rejecting.value && <Reject review={rejecting.value} onClose={() => { rejecting.value = null; }} />}
    </Page>
  );
}

function One({ review, onReject }: { review: Review; onReject: () => void }) {
  const press = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) {
      return;
    }
    if (event.key === "a") {
      void approve(review);
    } else if (event.key === "r") {
      event.preventDefault(); // else the letter is typed into the dialog
      onReject();
    }
  };
  return (
    <section class="card" aria-label={review.title} tabIndex={0} onKeyDown={press}>
      <div class="columns">
        <AdCard title={review.title} advertiser={review.account} currency={currency()}
          image={review.image_url} description={review.description} brand={review.brand} />
        <div class="stack">
          <dl class="pairs">
            <dt>{t("product.url")}</dt><dd><code>{review.url}</code></dd>
            <dt>{t("type.advertiser")}</dt><dd>{review.account}</dd>
            <dt>{t("product.updated_at")}</dt><dd>{time(review.updated_at)}</dd>
            {review.reason && <><dt>{t("group.reason")}</dt><dd>{review.reason}</dd></>}
          </dl>
          <div class="actions">
            <Badge group="review" word={review.status} />
            {review.status !== "approved"
              && <Button look="main" icon="check" onClick={() => void approve(review)}>{t("review.approve")}</Button>}
            {review.status !== "rejected"
              && <Button look="danger" onClick={onReject}>{t("review.reject")}</Button>}
          </div>
        </div>
      </div>
    </section>
  );
}

function Reject({ review, onClose }: { review: Review; onClose: () => void }) {
  const form = useForm(() => ({ reason: "" }));
  const submit = async ({ reason }: { reason: string }) => {
    if (!reason.trim()) {
      form.errors.value = { reason: t("form.required") };
      return;
    }
    await ask("post", "/v1/platform/reviews", {
      body: { product_id: review.product_id, decision: "reject", reason, updated_at: review.updated_at },
    });
    changed("/v1/platform/reviews");
    onClose();
  };
  return (
    <Dialog title={t("review.reject.title")} onClose={onClose}>
      <Form form={form} onSubmit={submit} action={t("review.reject")}>
        <p>{review.title}</p>
        <Field form={form} name="reason" label={t("group.reason")} hint={t("review.reason.hint")} rows={3} required />
      </Form>
    </Dialog>
  );
}
