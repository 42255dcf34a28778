// A product is made or changed, with its ad as people see it beside it.

import { useMemo } from "preact/hooks";
import { ask, uuid } from "../api/client";
import { changed, useData } from "../api/data";
import type { components } from "../api/schema";
import { account } from "../api/session";
import { parseMoney } from "../base/format";
import { t } from "../base/prefs";
import { go, query } from "../base/router";
import { currency, time } from "../base/shown";
import { AdCard } from "../ui/ad";
import { Button, LinkButton } from "../ui/button";
import { confirmed } from "../ui/dialog";
import { Badge, Empty, Failed, Loading, Notice, say } from "../ui/feedback";
import { attempt, Field, Form, type FormState, rebase, useForm, useGuard } from "../ui/form";
import { Card, Page } from "../ui/page";
import { useCampaigns } from "./campaign-choice";
import { emptyProduct, productBody, type ProductValues, productValues, unreadableProduct } from "./product-form";

type Product = components["schemas"]["Product"];
const back = () => ({ to: "/products", label: t("nav.products") });
const productsChanged = () => changed("/v1/products", "/v1/campaigns");

function readable(form: FormState<ProductValues>): boolean {
  const wrong = unreadableProduct(form.values.value);
  form.errors.value = Object.fromEntries(wrong.map((name) =>
    [name, t(name === "price" || name === "sale_price" ? "form.amount" : "form.required")]));
  return wrong.length === 0;
}

export function ProductNewPage() {
  const campaigns = useCampaigns();
  return (
    <Page title={t("product.new")} back={back()}>
      {!campaigns ? <Loading rows={6} /> : campaigns.length === 0 ? (
        <Empty icon="campaign" title={t("product.needs_campaign")}>
          <LinkButton to="/campaigns/new" look="main">{t("campaign.new")}</LinkButton>
        </Empty>
      ) : <NewForm campaigns={campaigns} />}
    </Page>
  );
}

function NewForm({ campaigns }: { campaigns: [string, string][] }) {
  const form = useForm(() => emptyProduct(query.value.get("campaign") ?? campaigns[0][0], currency()));
  const once = useMemo(uuid, []);
  useGuard(form);
  const submit = async (values: ProductValues) => {
    if (!readable(form)) {
      return;
    }
    await ask("post", "/v1/products", {
      body: { ...productBody(values), campaign_id: values.campaign_id }, once,
    });
    form.dirty.value = false;
    productsChanged();
    say(t("product.created"));
    go(`/campaigns/${values.campaign_id}`);
  };
  return (
    <div class="editor">
      <Card>
        <Form form={form} onSubmit={submit} action={t("product.create")}
          extra={<LinkButton to="/products" look="quiet">{t("do.cancel")}</LinkButton>}>
          <Field form={form} name="campaign_id" label={t("campaign.one")} options={campaigns} />
          <Fields form={form} />
        </Form>
      </Card>
      <aside><Sample form={form} /></aside>
    </div>
  );
}

export function ProductEditPage({ id }: { id: string }) {
  const { data, etag, problem, reload } = useData("/v1/products/{id}", { path: { id } });
  const archive = async () => {
    if (await confirmed(t("product.archive.title"), t("product.archive.text"), t("campaign.archive"))) {
      await attempt(async () => {
        await ask("delete", "/v1/products/{id}", { path: { id } });
        productsChanged();
        go("/products");
      }, say);
    }
  };
  return (
    <Page title={data?.title ?? t("product.one")} back={back()}
      lead={data && <Badge group="review" word={data.review.status} />}
      actions={data?.status === "active" && (
        <Button look="danger" onClick={() => void archive()}>{t("campaign.archive")}</Button>
      )}>
      {data ? <EditForm product={data} etag={etag} />
        : problem ? <Failed problem={problem} retry={reload} /> : <Loading rows={8} />}
    </Page>
  );
}

function EditForm({ product, etag }: { product: Product; etag: string | null }) {
  const form = useForm(() => productValues(product));
  const base = useMemo(() => ({ etag, values: productValues(product) }), []);
  useGuard(form);
  const submit = async (values: ProductValues) => {
    if (!readable(form)) {
      return;
    }
    const answer = await ask("patch", "/v1/products/{id}", {
      path: { id: product.id }, body: productBody(values), etag: base.etag,
    });
    base.etag = answer.etag;
    base.values = values;
    form.dirty.value = false;
    productsChanged();
    say(t("do.saved"));
  };
  const review = async () => {
    const newer = await ask("get", "/v1/products/{id}", { path: { id: product.id } });
    base.etag = newer.etag;
    const values = productValues(newer.data);
    rebase(form, base.values, values);
    base.values = values;
  };
  return (
    <div class="editor">
      <div class="stack">
        {product.review.status === "rejected" && (
          <Notice kind="warn">{t("product.rejected", { reason: product.review.reason ?? "–" })}</Notice>
        )}
        <Card>
          <Form form={form} onSubmit={submit} action={t("do.save")}
            extra={form.problem.value?.status === 412
              && <Button onClick={() => void review()}>{t("form.review")}</Button>}>
            <Fields form={form} />
          </Form>
        </Card>
      </div>
      <aside class="stack">
        <Sample form={form} />
        <Card title={t("product.about")}>
          <dl class="pairs">
            <dt>ID</dt><dd><code>{product.id}</code></dd>
            <dt>{t("product.created_at")}</dt><dd>{time(product.created_at)}</dd>
            <dt>{t("product.updated_at")}</dt><dd>{time(product.updated_at)}</dd>
          </dl>
        </Card>
      </aside>
    </div>
  );
}

function Sample({ form }: { form: FormState<ProductValues> }) {
  const values = form.values.value;
  const code = /^[A-Za-z]{3}$/.test(values.currency) ? values.currency.toUpperCase() : currency();
  return (
    <Card title={t("product.sample")}>
      <AdCard title={values.title || t("product.title")} advertiser={account.value?.name}
        micros={parseMoney(values.sale_price || values.price) ?? 0} currency={code}
        image={/^https:\/\//.test(values.image_url) ? values.image_url : null}
        description={values.description} brand={values.brand} />
    </Card>
  );
}

function Fields({ form }: { form: FormState<ProductValues> }) {
  const words = ["in_stock", "out_of_stock", "preorder", "backorder"] as const;
  return (
    <>
      <Field form={form} name="title" label={t("product.title")} required />
      <Field form={form} name="url" type="url" label={t("product.url")} hint={t("product.url.hint")}
        placeholder="https://" required />
      <div class="pair">
        <Field form={form} name="price" label={t("product.price")} mode="decimal" required />
        <Field form={form} name="currency" label={t("product.currency")} />
      </div>
      <Field form={form} name="description" label={t("product.description")} rows={4} />
      <div class="pair">
        <Field form={form} name="brand" label={t("product.brand")} />
        <Field form={form} name="sku" label={t("product.sku")} hint={t("product.sku.hint")} />
      </div>
      <Field form={form} name="image_url" type="url" label={t("product.image")} placeholder="https://" />
      <details>
        <summary>{t("campaign.more")}</summary>
        <div class="pair">
          <Field form={form} name="sale_price" label={t("product.sale_price")} mode="decimal" />
          <Field form={form} name="availability" label={t("product.availability")}
            options={[["", "–"], ...words.map((w): [string, string] => [w, t(`availability.${w}`)])]} />
          <Field form={form} name="category" label={t("product.category")} rows={2} />
          <Field form={form} name="keywords" label={t("product.keywords")} rows={2} />
          <Field form={form} name="gtin" label={t("product.gtin")} />
          <Field form={form} name="language" label={t("product.language")} placeholder="en" />
        </div>
      </details>
    </>
  );
}
