// The screens before somebody is signed in: sign in, sign up, forgotten
// password, new password.

import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { ask } from "../api/client";
import { Problem } from "../api/problem";
import { arrive } from "../api/session";
import { t } from "../base/prefs";
import { go, path } from "../base/router";
import { Link } from "../ui/button";
import { Failed, Notice } from "../ui/feedback";
import { Field, Form, useForm } from "../ui/form";
import { Icon } from "../ui/icon";
import { arrival } from "./arrival";
import { Providers } from "./providers";

/** Signing in needs an address of these; all others show the sign-in. */
const screens: Record<string, () => preact.JSX.Element> = {
  "/sign-up": SignUp,
  "/forgot": Forgot,
};

export function Gate() {
  const came = arrival.value;
  const Screen = came?.kind === "reset" ? Reset : screens[path.value] ?? SignIn;
  return (
    <div class="gate">
      <main class="gate-form"><div class="gate-box"><Brand /><Screen /></div></main>
      <Aside />
    </div>
  );
}

function Brand() {
  return <div class="brand"><span class="brand-mark" aria-hidden="true">A</span><strong>Ads</strong></div>;
}

function Heading({ children }: { children: string }) {
  useEffect(() => { document.title = `${children} · Ads`; }, [children]);
  return <h1>{children}</h1>;
}

function Foot({ children }: { children: ComponentChildren }) {
  return <p class="gate-foot">{children}</p>;
}

/** What a provider or a mail brought, in words. */
function Came() {
  const came = arrival.value;
  if (came?.kind === "error") {
    return <Failed problem={new Problem(400, { code: came.word, detail: came.word }, null)} />;
  }
  if (came?.kind === "invite") {
    return <Notice>{t("auth.invited")}</Notice>;
  }
  return null;
}

export function PasswordForm({ email = "", onDone }: { email?: string; onDone?: () => void }) {
  const form = useForm(() => ({ email, password: "" }));
  const submit = async (values: { email: string; password: string }) => {
    const { data } = await ask("post", "/v1/auth/login", { body: values, open: true });
    arrive(data);
    onDone?.();
  };
  return (
    <Form form={form} onSubmit={submit} action={t("auth.sign_in")} wide>
      <Field form={form} name="email" type="email" label={t("auth.email")} autocomplete="username" />
      <Field form={form} name="password" type="password" label={t("auth.password")}
        autocomplete="current-password" />
    </Form>
  );
}

function SignIn() {
  return (
    <>
      <Heading>{t("auth.title.in")}</Heading>
      <Came />
      <Providers />
      <PasswordForm />
      <Foot>
        <Link to="/forgot">{t("auth.forgot")}</Link>
        <span>{t("auth.new")} <Link to="/sign-up">{t("auth.sign_up")}</Link></span>
      </Foot>
    </>
  );
}

function SignUp() {
  const form = useForm(() => ({
    account_type: "advertiser", company: "", email: "", password: "",
  }));
  const submit = async (values: typeof form.values.value) => {
    const { data } = await ask("post", "/v1/auth/signup", {
      open: true,
      body: {
        email: values.email,
        password: values.password,
        company: values.company || null,
        account_type: values.account_type as "advertiser" | "publisher",
        timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
      },
    });
    arrive(data);
    go("/", true);
  };
  const publisher = form.values.value.account_type === "publisher";
  return (
    <>
      <Heading>{t("auth.title.up")}</Heading>
      <Came />
      <Form form={form} onSubmit={submit} action={t("auth.sign_up")} wide>
        <fieldset>
          <legend>{t("auth.type")}</legend>
          {(["advertiser", "publisher"] as const).map((type) => (
            <label class="check" key={type}>
              <input type="radio" name="account_type" value={type}
                checked={form.values.value.account_type === type}
                onChange={() => form.set("account_type", type)} />
              {t(`auth.type.${type}`)}
            </label>
          ))}
        </fieldset>
        <Field form={form} name="company" label={t(publisher ? "auth.site" : "auth.company")}
          hint={publisher ? undefined : t("auth.company.hint")} autocomplete="organization" />
        <Field form={form} name="email" type="email" label={t("auth.email")}
          autocomplete="email" required />
        <Field form={form} name="password" type="password" label={t("auth.password")}
          hint={t("auth.password.hint")} autocomplete="new-password" required />
      </Form>
      <Foot>
        <span>{t("auth.have")} <Link to="/">{t("auth.sign_in")}</Link></span>
      </Foot>
    </>
  );
}

function Forgot() {
  const form = useForm(() => ({ email: "" }));
  const sent = useSignal(false);
  const submit = async (values: { email: string }) => {
    await ask("post", "/v1/auth/password/reset", { body: values, open: true });
    sent.value = true;
  };
  return (
    <>
      <Heading>{t("auth.title.forgot")}</Heading>
      {sent.value ? <Notice kind="good">{t("auth.forgot.sent")}</Notice> : (
        <>
          <p class="soft">{t("auth.forgot.lead")}</p>
          <Form form={form} onSubmit={submit} action={t("auth.forgot.send")} wide>
            <Field form={form} name="email" type="email" label={t("auth.email")} autocomplete="username" />
          </Form>
        </>
      )}
      <Foot><Link to="/">{t("auth.back")}</Link></Foot>
    </>
  );
}

function Reset() {
  const form = useForm(() => ({ password: "" }));
  const code = arrival.value?.word ?? "";
  const done = useSignal(false);
  const submit = async (values: { password: string }) => {
    await ask("post", "/v1/auth/password/reset/confirm", {
      open: true, body: { code, password: values.password },
    });
    done.value = true;
  };
  const leave = () => { arrival.value = null; };
  return (
    <>
      <Heading>{t("auth.title.reset")}</Heading>
      {done.value ? <Notice kind="good">{t("auth.reset.done")}</Notice> : (
        <Form form={form} onSubmit={submit} action={t("do.save")} wide>
          <Field form={form} name="password" type="password" label={t("auth.password.new")}
            hint={t("auth.password.hint")} autocomplete="new-password" />
        </Form>
      )}
      <Foot><Link to="/" onGo={leave}>{t("auth.back")}</Link></Foot>
    </>
  );
}

function Aside() {
  return (
    <aside class="gate-aside">
      <h2>{t("auth.pitch")}</h2>
      <div class="gate-sample" aria-hidden="true">
        <p>{t("auth.sample.q")}</p>
        <div class="ad">
          <span class="ad-picture">Q</span>
          <div class="ad-text">
            <p><span class="ad-label">{t("ad.label")}</span> <span class="faint small">Quillon</span></p>
            <p class="strong">{t("auth.sample.ad")}</p>
            <p>$189.00</p>
          </div>
        </div>
      </div>
      <ul>
        {([1, 2, 3] as const).map((n) => (
          <li key={n}><Icon name="check" />{t(`auth.pitch.${n}`)}</li>
        ))}
      </ul>
    </aside>
  );
}
