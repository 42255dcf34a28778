// One's own things: the account's name and zone, password, providers, sessions,
// theme and language.

import { ask, type Result } from "../api/client";
import { changed, useData } from "../api/data";
import { account, expectReturn, signOut, user } from "../api/session";
import { language, named, setLanguage, setTheme, t, theme } from "../base/prefs";
import { ago } from "../base/shown";
import { Button } from "../ui/button";
import { Badge, Failed, Loading, say } from "../ui/feedback";
import { attempt, Field, Form, useForm } from "../ui/form";
import { Card, Page } from "../ui/page";
import { Tabs } from "../ui/tabs";

type Account = Result<"/v1/account", "get">;

export function AccountPage() {
  const { data, etag, problem, reload } = useData("/v1/account");
  return (
    <Page title={t("nav.account")} lead={user.value?.email} actions={<>
      <Button onClick={() => void signOut(true)}>{t("auth.out.all")}</Button>
      <Button icon="out" onClick={() => void signOut(false)}>{t("auth.out")}</Button>
    </>}>
      <div class="columns">
        <Card title={t("account.title")}>
          {data ? <AccountForm key={data.id} data={data} etag={etag} />
            : problem ? <Failed problem={problem} retry={reload} /> : <Loading />}
        </Card>
        <div class="stack">
          <Looks />
          <Providers />
        </div>
      </div>
      <div class="columns">
        <Password />
        <Sessions />
      </div>
    </Page>
  );
}

function AccountForm({ data, etag }: { data: Account; etag: string | null }) {
  const publisher = data.type === "publisher";
  const form = useForm(() => ({ name: data.name, timezone: data.timezone, site: data.site ?? "" }));
  const zones = Intl.supportedValuesOf("timeZone");
  const options: [string, string][] = [...new Set([data.timezone, "UTC", ...zones])].map((z) => [z, z]);
  const submit = async (values: { name: string; timezone: string; site: string }) => {
    await ask("patch", "/v1/account", {
      etag, body: {
        name: values.name, timezone: values.timezone,
        ...(publisher && values.site ? { site: values.site } : {}),
      },
    });
    if (account.value) {
      account.value = { ...account.value, name: values.name, timezone: values.timezone };
    }
    changed("/v1/account", "/v1/balance", "/v1/analytics");
    say(t("do.saved"));
  };
  return (
    <Form form={form} onSubmit={submit} action={t("do.save")}>
      <Field form={form} name="name" label={t("account.name")} hint={t("auth.company.hint")} />
      {publisher && <Field form={form} name="site" label={t("auth.site")} />}
      <Field form={form} name="timezone" label={t("account.timezone")} hint={t("account.timezone.hint")} options={options} />
      <dl class="pairs">
        <dt>ID</dt><dd><code>{data.id}</code></dd>
        <dt>{t("product.currency")}</dt><dd>{data.currency}</dd>
        <dt>{t("member.role")}</dt><dd>{named("role", account.value?.role)}</dd>
      </dl>
    </Form>
  );
}

function Looks() {
  return (
    <Card title={t("account.looks")}>
      <div class="stack">
        <div class="field">
          <span class="field-label">{t("account.theme")}</span>
          <Tabs label={t("account.theme")} value={theme.value}
            options={(["system", "light", "dark"] as const).map((word) => [word, t(`theme.${word}`)])}
            onChange={(word) => setTheme(word as "system")} />
        </div>
        <div class="field">
          <span class="field-label">{t("account.language")}</span>
          <Tabs label={t("account.language")} value={language.value}
            options={[["en", "English"], ["de", "Deutsch"]]} onChange={(word) => setLanguage(word as "en")} />
        </div>
      </div>
    </Card>
  );
}

function Providers() {
  const links = useData("/v1/auth/links");
  const offered = useData("/v1/auth/oauth").data?.data ?? [];
  if (!links.data || (offered.length === 0 && links.data.data.length === 0)) {
    return null;
  }
  const linked = new Map(links.data.data.map((link) => [link.provider, link]));
  const names = [...new Set([...linked.keys(), ...offered.map((one) => one.provider)])];
  const add = (provider: string) => attempt(async () => {
    const { data } = await ask("post", "/v1/auth/links/{provider}", { path: { provider } });
    expectReturn();
    location.assign(data.url);
  }, say);
  const remove = (provider: string) => attempt(async () => {
    await ask("delete", "/v1/auth/links/{provider}", { path: { provider } });
    changed("/v1/auth/links");
  }, say);
  return (
    <Card title={t("account.providers")}>
      <ul class="list">
        {names.map((name) => (
          <li key={name} class="row between">
            <span>{named("provider", name)} <span class="faint small">{linked.get(name)?.email}</span></span>
            {linked.has(name)
              ? <Button onClick={() => void remove(name)}>{t("account.unlink")}</Button>
              : <Button onClick={() => void add(name)}>{t("account.link")}</Button>}
          </li>
        ))}
      </ul>
    </Card>
  );
}

function Password() {
  const has = user.value?.has_password ?? true;
  const form = useForm(() => ({ current_password: "", password: "" }));
  const submit = async (values: { current_password: string; password: string }) => {
    await ask("post", "/v1/auth/password", {
      body: { password: values.password, ...(has ? { current_password: values.current_password } : {}) },
    });
    form.reset({ current_password: "", password: "" });
    say(t("account.password.done"));
    changed("/v1/auth/sessions");
  };
  return (
    <Card title={t("account.password")}>
      <Form form={form} onSubmit={submit} action={t("account.password.change")}>
        <input class="unseen" type="email" autoComplete="username" value={user.value?.email} readOnly
          tabIndex={-1} aria-hidden="true" />
        {has && <Field form={form} name="current_password" type="password" label={t("account.password.current")}
          autocomplete="current-password" />}
        <Field form={form} name="password" type="password" label={t("auth.password.new")}
          hint={t("auth.password.hint")} autocomplete="new-password" />
      </Form>
    </Card>
  );
}

/** "Firefox · Linux" of what browsers say of themselves. */
function browser(agent: string): string {
  const name = /(Firefox|Edg|OPR|Chrome|Safari)\//.exec(agent)?.[1] ?? agent.slice(0, 24);
  const on = /(Windows|Android|iPhone|iPad|Mac OS X|Linux)/.exec(agent)?.[1];
  return [name === "Edg" ? "Edge" : name === "OPR" ? "Opera" : name, on].filter(Boolean).join(" · ");
}

function Sessions() {
  const { data, problem, reload } = useData("/v1/auth/sessions", { query: { limit: 20 } });
  const end = (id: string) => attempt(async () => {
    await ask("delete", "/v1/auth/sessions/{id}", { path: { id } });
    changed("/v1/auth/sessions");
  }, say);
  const endOthers = () => attempt(async () => {
    await ask("delete", "/v1/auth/sessions");
    changed("/v1/auth/sessions");
  }, say);
  return (
    <Card title={t("account.sessions")} actions={data && data.data.length > 1
      && <Button onClick={() => void endOthers()}>{t("account.sessions.end")}</Button>}>
      {problem && !data ? <Failed problem={problem} retry={reload} /> : !data ? <Loading /> : (
        <ul class="list">
          {data.data.map((session) => (
            <li key={session.id} class="row between">
              <span>
                {browser(session.user_agent)} {session.current && <Badge group="session" word="current" />}
                <div class="faint small">{ago(session.last_used_at)}</div>
              </span>
              {!session.current && <Button onClick={() => void end(session.id)}>{t("account.session.end")}</Button>}
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}
