// The lowest bid, and who and what is never shown.

import { useMemo } from "preact/hooks";
import { ask, type Result } from "../api/client";
import { changed, useData } from "../api/data";
import { list } from "../base/form";
import { parseMoney, plainMoney } from "../base/format";
import { t } from "../base/prefs";
import { currency } from "../base/shown";
import { Button } from "../ui/button";
import { Failed, Loading, say } from "../ui/feedback";
import { Field, Form, rebase, useForm, useGuard } from "../ui/form";
import { Card, Page } from "../ui/page";

type Settings = Result<"/v1/publisher/settings", "get">;

const valuesOf = (settings: Settings) => ({
  floor: plainMoney(settings.floor_micros),
  blocked_categories: settings.blocked_categories.join("\n"),
  blocked_advertisers: settings.blocked_advertisers.join("\n"),
});

export function RulesPage() {
  const { data, etag, problem, reload } = useData("/v1/publisher/settings");
  return (
    <Page title={t("nav.rules")} lead={t("rules.lead")}>
      <Card>
        {data ? <Rules settings={data} etag={etag} />
          : problem ? <Failed problem={problem} retry={reload} /> : <Loading rows={5} />}
      </Card>
    </Page>
  );
}

function Rules({ settings, etag }: { settings: Settings; etag: string | null }) {
  const form = useForm(() => valuesOf(settings));
  const base = useMemo(() => ({ etag, values: valuesOf(settings) }), []);
  useGuard(form);
  const submit = async (values: typeof form.values.value) => {
    const micros = parseMoney(values.floor || "0");
    if (micros === null) {
      form.errors.value = { floor: t("form.amount") };
      return;
    }
    const answer = await ask("patch", "/v1/publisher/settings", {
      etag: base.etag, body: {
        floor: micros / 1e6,
        blocked_categories: list(values.blocked_categories),
        blocked_advertisers: list(values.blocked_advertisers),
      },
    });
    base.etag = answer.etag;
    base.values = values;
    form.dirty.value = false;
    changed("/v1/publisher/settings");
    say(t("do.saved"));
  };
  const review = async () => {
    const newer = await ask("get", "/v1/publisher/settings");
    base.etag = newer.etag;
    const values = valuesOf(newer.data);
    rebase(form, base.values, values);
    base.values = values;
  };
  return (
    <Form form={form} onSubmit={submit} action={t("do.save")}
      extra={form.problem.value?.status === 412
        && <Button onClick={() => void review()}>{t("form.review")}</Button>}>
      <div class="pair">
        <Field form={form} name="floor" label={t("rules.floor")} hint={t("rules.floor.hint")} unit={currency()} mode="decimal" />
      </div>
      <Field form={form} name="blocked_categories" label={t("rules.categories")} hint={t("rules.categories.hint")} rows={4} />
      <Field form={form} name="blocked_advertisers" label={t("rules.advertisers")} hint={t("rules.advertisers.hint")} rows={4} />
    </Form>
  );
}
