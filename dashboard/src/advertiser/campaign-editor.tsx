// A campaign is made or changed, with its preview beside it.  A change that was
// made elsewhere meanwhile is not overwritten: it is shown for review.

import { ask } from "../api/client";
import { useData } from "../api/data";
import { Problem } from "../api/problem";
import type { components } from "../api/schema";
import { uuid } from "../api/client";
import { t } from "../base/prefs";
import { go } from "../base/router";
import { currency, money } from "../base/shown";
import { Button, LinkButton } from "../ui/button";
import { Failed, Loading, Notice, say } from "../ui/feedback";
import { Field, Form, type FormState, rebase, useForm, useGuard } from "../ui/form";
import { Card, Page } from "../ui/page";
import { useMemo } from "preact/hooks";
import { campaignsChanged } from "./campaign-actions";
import { bodyOf, type CampaignValues, emptyCampaign, unreadable, valuesOf } from "./campaign-form";
import { PreviewCard } from "./preview";

type Campaign = components["schemas"]["Campaign"];

/** False: a field was marked. */
function readable(form: FormState<CampaignValues>): boolean {
  const wrong = unreadable(form.values.value);
  form.errors.value = Object.fromEntries(wrong.map((name) =>
    [name, t(name === "name" ? "form.required" : "form.amount")]));
  return wrong.length === 0;
}

export function CampaignNewPage() {
  const form = useForm(() => ({ ...emptyCampaign }));
  const once = useMemo(uuid, []);
  useGuard(form);
  const submit = async (values: CampaignValues) => {
    if (!readable(form)) {
      return;
    }
    const { data } = await ask("post", "/v1/campaigns", {
      body: { ...bodyOf(values), status: "paused" }, once,
    });
    form.dirty.value = false;
    campaignsChanged();
    say(t("campaign.created"));
    go(`/campaigns/${data.id}`);
  };
  return (
    <Page title={t("campaign.new")} back={{ to: "/campaigns", label: t("nav.campaigns") }}
      lead={t("campaign.new.lead")}>
      <div class="editor">
        <Card>
          <Form form={form} onSubmit={submit} action={t("campaign.create")}
            extra={<LinkButton to="/campaigns" look="quiet">{t("do.cancel")}</LinkButton>}>
            <Fields form={form} />
          </Form>
        </Card>
        <aside class="stack"><Hints form={form} /></aside>
      </div>
    </Page>
  );
}

export function CampaignEditPage({ id }: { id: string }) {
  const { data, etag, problem, reload } = useData("/v1/campaigns/{id}", { path: { id } });
  const back = { to: `/campaigns/${id}`, label: data?.name ?? t("campaign.one") };
  return (
    <Page title={t("campaign.edit")} back={back}>
      {data ? <Editor campaign={data} etag={etag} />
        : problem ? <Failed problem={problem} retry={reload} /> : <Loading rows={8} />}
    </Page>
  );
}

function Editor({ campaign, etag }: { campaign: Campaign; etag: string | null }) {
  const form = useForm(() => valuesOf(campaign));
  const base = useMemo(() => ({ etag, targeting: campaign.targeting, values: valuesOf(campaign) }), []);
  useGuard(form);
  const submit = async (values: CampaignValues) => {
    if (!readable(form)) {
      return;
    }
    await ask("patch", "/v1/campaigns/{id}", {
      path: { id: campaign.id },
      body: bodyOf(values, base.targeting as never) as never,
      etag: base.etag,
    });
    form.dirty.value = false;
    campaignsChanged();
    say(t("do.saved"));
    go(`/campaigns/${campaign.id}`);
  };
  const review = async () => {
    const newer = await ask("get", "/v1/campaigns/{id}", { path: { id: campaign.id } });
    base.etag = newer.etag;
    base.targeting = newer.data.targeting;
    const values = valuesOf(newer.data);
    rebase(form, base.values, values);
    base.values = values;
  };
  const elsewhere = form.problem.value instanceof Problem && form.problem.value.status === 412;
  return (
    <div class="editor">
      <Card>
        <Form form={form} onSubmit={submit} action={t("do.save")} extra={<>
          <LinkButton to={`/campaigns/${campaign.id}`} look="quiet">{t("do.cancel")}</LinkButton>
          {elsewhere && <Button onClick={() => void review()}>{t("form.review")}</Button>}
        </>}>
          <Fields form={form} />
        </Form>
      </Card>
      <aside><PreviewCard id={campaign.id} /></aside>
    </div>
  );
}

function Hints({ form }: { form: FormState<CampaignValues> }) {
  const values = form.values.value;
  const bid = Number(values.bid.replace(",", ".")) || 0;
  const daily = Number(values["budget.daily"].replace(",", ".")) || 0;
  return (
    <>
      <Card title={t("campaign.estimate")}>
        {bid > 0 && daily > 0 ? (
          <p>{t("campaign.estimate.text", {
            clicks: Math.floor(daily / bid), budget: money(daily * 1e6), bid: money(bid * 1e6),
          })}</p>
        ) : <p class="soft">{t("campaign.estimate.none")}</p>}
      </Card>
      <Notice>{t("campaign.paused_first")}</Notice>
    </>
  );
}

function Fields({ form }: { form: FormState<CampaignValues> }) {
  const unit = currency();
  return (
    <>
      <Field form={form} name="name" label={t("campaign.name")} required placeholder={t("campaign.name.example")} />
      <div class="pair">
        <Field form={form} name="bid" label={t("campaign.bid")} hint={t("campaign.bid.hint")} unit={unit}
          mode="decimal" required />
        <Field form={form} name="pricing" label={t("campaign.pricing")}
          options={[["cpc", t("pricing.cpc")], ["cpm", t("pricing.cpm")]]} />
      </div>
      <div class="pair">
        <Field form={form} name="budget.daily" label={t("campaign.daily")} hint={t("campaign.daily.hint")}
          unit={unit} mode="decimal" />
        <Field form={form} name="budget.lifetime" label={t("campaign.lifetime")}
          hint={t("campaign.lifetime.hint")} unit={unit} mode="decimal" />
      </div>
      <Field form={form} name="pacing" label={t("campaign.pacing")} options={[
        ["even", `${t("pacing.even")}: ${t("pacing.even.text")}`],
        ["asap", `${t("pacing.asap")}: ${t("pacing.asap.text")}`],
      ]} />
      <details>
        <summary>{t("campaign.schedule")}</summary>
        <div class="pair">
          <Field form={form} name="start_at" type="datetime-local" label={t("campaign.start_at")} />
          <Field form={form} name="end_at" type="datetime-local" label={t("campaign.end_at")} />
        </div>
      </details>
      <details>
        <summary>{t("campaign.targeting")}</summary>
        <div class="stack">
          <p class="hint">{t("campaign.targeting.hint")}</p>
          <div class="pair">
            <Field form={form} name="targeting.locations" label={t("targeting.locations")} rows={2} placeholder="US, DE-BE" />
            <Field form={form} name="targeting.not_locations" label={t("targeting.not_locations")} rows={2} />
            <Field form={form} name="targeting.keywords" label={t("targeting.keywords")} rows={3} />
            <Field form={form} name="targeting.negative_keywords" label={t("targeting.negative_keywords")} rows={3} />
            <Field form={form} name="targeting.placements" label={t("targeting.placements")} rows={2} placeholder="inline, sidebar" />
            <Field form={form} name="targeting.languages" label={t("targeting.languages")} rows={2} placeholder="en, de" />
            <Field form={form} name="targeting.categories" label={t("targeting.categories")} rows={2} />
          </div>
        </div>
      </details>
      <details>
        <summary>{t("campaign.more")}</summary>
        <div class="pair">
          <Field form={form} name="frequency_cap.count" label={t("campaign.cap")} hint={t("campaign.cap.hint")} mode="numeric" />
          <Field form={form} name="frequency_cap.window_s" label={t("campaign.cap.window")} unit={t("unit.hours")} mode="decimal" />
          <Field form={form} name="attribution.click_window_days" label={t("campaign.window")} unit={t("unit.days")} mode="numeric" />
          <Field form={form} name="external_id" label={t("campaign.external")} />
        </div>
      </details>
    </>
  );
}
