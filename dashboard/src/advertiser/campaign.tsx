// One campaign: whether it is shown and why not, its figures, its products.

import { useData } from "../api/data";
import type { Result } from "../api/client";
import { dayIn, lastDays } from "../base/dates";
import { named, t } from "../base/prefs";
import { go } from "../base/router";
import { bid, count, factor, money, percent, time, zone } from "../base/shown";
import { Button, Link, LinkButton } from "../ui/button";
import { Badge, Empty, Failed, Loading, Notice } from "../ui/feedback";
import { Card, Figure, Figures, Meter, Page } from "../ui/page";
import { Table } from "../ui/table";
import { archive, toggle } from "./campaign-actions";
import { DailyChart } from "./daily-chart";
import { LostAuctions } from "./lost";
import { PreviewCard } from "./preview";

type Campaign = Result<"/v1/campaigns/{id}", "get">;

export function CampaignPage({ id }: { id: string }) {
  const { data, problem, reload } = useData("/v1/campaigns/{id}", { path: { id }, every: 15_000 });
  const back = { to: "/campaigns", label: t("nav.campaigns") };
  if (!data) {
    return (
      <Page title={t("campaign.one")} back={back}>
        {problem ? <Failed problem={problem} retry={reload} /> : <Loading rows={8} />}
      </Page>
    );
  }
  const word = data.status === "draft" ? "draft" : data.serving_status;
  return (
    <Page title={data.name} back={back} lead={<Badge group="serving" word={word} />}
      actions={data.status !== "archived" && <Actions campaign={data} />}>
      <Why campaign={data} />
      <Money campaign={data} />
      <Performance campaign={data} />
      <div class="columns">
        <Settings campaign={data} />
        <PreviewCard id={id} />
      </div>
      <Products id={id} />
    </Page>
  );
}

function Actions({ campaign }: { campaign: Campaign }) {
  const active = campaign.status === "active";
  const end = async () => {
    if (await archive(campaign)) {
      go("/campaigns");
    }
  };
  return (
    <>
      <Button look="danger" onClick={() => void end()}>{t("campaign.archive")}</Button>
      <LinkButton to={`/campaigns/${campaign.id}/edit`}>{t("campaign.edit")}</LinkButton>
      <Button look={active ? "plain" : "main"} icon={active ? "pause" : "play"}
        onClick={() => void toggle(campaign)}>
        {t(active ? "campaign.pause" : campaign.status === "draft" ? "campaign.start" : "campaign.resume")}
      </Button>
    </>
  );
}

function Why({ campaign }: { campaign: Campaign }) {
  if (campaign.status !== "active" || campaign.serving_status === "serving") {
    return null;
  }
  return (
    <Notice kind="warn">
      <p class="strong">{t("campaign.not_shown")}</p>
      <ul>{campaign.reasons.map((reason) => <li key={reason}>{named("why", reason)}</li>)}</ul>
    </Notice>
  );
}

function Money({ campaign }: { campaign: Campaign }) {
  const { daily_micros: daily, lifetime_micros: lifetime } = campaign.budget;
  const of = campaign.currency;
  return (
    <Figures>
      <Figure label={t("overview.spent_today")} value={money(campaign.spent_today_micros, of)}
        note={daily ? <>{t("overview.of_budget", { amount: money(daily, of) })}
          <Meter label={t("campaign.budget_used")} share={campaign.spent_today_micros / daily} /></>
          : t("campaign.no_daily")} />
      <Figure label={t("campaign.spent")} value={money(campaign.spent_micros, of)}
        note={lifetime ? <>{t("campaign.of_lifetime", { amount: money(lifetime, of) })}
          <Meter label={t("campaign.budget_used")} share={campaign.spent_micros / lifetime} /></>
          : t("campaign.no_lifetime")} />
      <Figure label={t("campaign.bid")} value={bid(campaign.bid_micros, of)}
        note={t(`pricing.${campaign.pricing}`)} />
      <Figure label={t("campaign.pacing")} value={t(`pacing.${campaign.pacing}`)}
        note={t(`pacing.${campaign.pacing}.text`)} />
    </Figures>
  );
}

function Performance({ campaign }: { campaign: Campaign }) {
  const range = lastDays(dayIn(zone(), Date.now()), 30);
  const { data, problem, reload } = useData("/v1/analytics/advertiser", {
    query: { ...range, granularity: "day", filter: { campaign: campaign.id } },
  });
  const totals = data?.totals;
  return (
    <Card title={t("campaign.last30")}
      actions={<Link to={`/reports?campaign=${campaign.id}`} class="inline-link">{t("overview.to_reports")}</Link>}>
      {problem && !data ? <Failed problem={problem} retry={reload} /> : !data || !totals ? <Loading rows={6} /> : (
        <div class="stack">
          <Figures>
            <Figure label={t("metric.impressions")} value={count(totals.impressions)} />
            <Figure label={t("metric.clicks")} value={count(totals.clicks)} />
            <Figure label={t("metric.ctr")} value={percent(totals.ctr)} />
            <Figure label={t("metric.cpc")} value={money(totals.cpc_micros)} />
            <Figure label={t("metric.conversions")} value={count(totals.conversions)} />
            <Figure label={t("metric.roas")} value={factor(totals.roas)} />
          </Figures>
          {totals.impressions + totals.clicks > 0
            ? <DailyChart report={data} past={null} metric="clicks" range={range} />
            : <p class="soft">{t("overview.quiet.text")}</p>}
          <LostAuctions totals={totals} />
        </div>
      )}
    </Card>
  );
}

function Settings({ campaign }: { campaign: Campaign }) {
  const target = campaign.targeting as Record<string, string[] | undefined>;
  const set = Object.entries(target).filter(([, list]) => list?.length);
  return (
    <Card title={t("campaign.settings")}>
      <dl class="pairs">
        <dt>{t("campaign.schedule")}</dt>
        <dd>{campaign.start_at || campaign.end_at
          ? `${time(campaign.start_at)} – ${time(campaign.end_at)}` : t("campaign.always")}</dd>
        <dt>{t("account.timezone")}</dt><dd>{campaign.timezone}</dd>
        {set.map(([name, list]) => (
          <>
            <dt key={name}>{named("targeting", name)}</dt><dd>{list?.slice(0, 40).join(", ")}</dd>
          </>
        ))}
        {campaign.frequency_cap && <>
          <dt>{t("campaign.cap")}</dt>
          <dd>{t("campaign.cap.text", {
            count: count(campaign.frequency_cap.count),
            hours: count(campaign.frequency_cap.window_s / 3600),
          })}</dd>
        </>}
        <dt>{t("campaign.window")}</dt>
        <dd>{t("campaign.window.text", { days: campaign.attribution?.click_window_days ?? 30 })}</dd>
        {campaign.external_id && <><dt>{t("campaign.external")}</dt><dd>{campaign.external_id}</dd></>}
        <dt>ID</dt><dd><code>{campaign.id}</code></dd>
      </dl>
    </Card>
  );
}

function Products({ id }: { id: string }) {
  const { data, problem, reload } = useData("/v1/products", {
    query: { campaign_id: id, status: "active", limit: 10 },
  });
  return (
    <Card title={t("nav.products")} flush actions={<>
      <LinkButton to={`/products/upload?campaign=${id}`} icon="up">{t("palette.upload")}</LinkButton>
      <LinkButton to={`/products?campaign=${id}`}>{t("campaign.all_products")}</LinkButton>
    </>}>
      {problem && !data ? <Failed problem={problem} retry={reload} /> : !data ? <Loading />
        : data.data.length === 0 ? (
          <Empty icon="product" title={t("product.none")}>
            <p>{t("product.none.text")}</p>
            <LinkButton to={`/products/new?campaign=${id}`} look="main" icon="plus">{t("product.new")}</LinkButton>
          </Empty>
        ) : (
          <Table label={t("nav.products")} rows={data.data} id={(row) => row.id} columns={[
            {
              key: "title", label: t("product.title"),
              show: (row) => <Link to={`/products/${row.id}`} class="strong">{row.title}</Link>,
            },
            { key: "brand", label: t("product.brand"), spare: true, show: (row) => row.brand },
            { key: "review", label: t("product.review"), spare: true, show: (row) => <Badge group="review" word={row.review.status} /> },
            { key: "price", label: t("product.price"), number: true, show: (row) => money(row.price_micros, row.currency) },
          ]} />
        )}
    </Card>
  );
}
