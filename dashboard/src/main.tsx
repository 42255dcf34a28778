// The dashboard: signed in or not, and which screen.

import { effect } from "@preact/signals";
import { render } from "preact";
import { actFor } from "./api/acting";
import { ask } from "./api/client";
import { changed, forgetAll } from "./api/data";
import { actingFor, start, state } from "./api/session";
import { Again } from "./auth/again";
import { arrival, takeArrival } from "./auth/arrival";
import { Gate } from "./auth/gate";
import { named, t } from "./base/prefs";
import { match } from "./base/match";
import { go, path } from "./base/router";
import { screens } from "./screens";
import { LinkButton } from "./ui/button";
import { Confirm } from "./ui/dialog";
import { Empty, explained, say, Toasts } from "./ui/feedback";
import { attempt } from "./ui/form";
import { Page } from "./ui/page";
import { kindOf, Shell } from "./ui/shell";
import { Problem } from "./api/problem";

function Screen() {
  for (const screen of screens) {
    const parts = screen.for && !screen.for.includes(kindOf()) ? null
      : match(screen.at, path.value);
    if (parts) {
      const Show = screen.show;
      return <Show key={`${actingFor.value?.id ?? ""} ${path.value}`} {...parts} />;
    }
  }
  return (
    <Page title={t("nav.none")}>
      <Empty icon="search" title={t("nav.none")}>
        <p>{t("nav.none.text")}</p>
        <LinkButton to="/" look="main">{t("nav.home")}</LinkButton>
      </Empty>
    </Page>
  );
}

function App() {
  if (state.value === "starting") {
    return null;
  }
  return (
    <>
      {state.value === "out" ? <Gate /> : <Shell><Screen /></Shell>}
      {state.value === "expired" && <Again />}
      <Confirm />
      <Toasts />
    </>
  );
}

/** What came in the address and needs nobody's hand. */
async function settle(): Promise<void> {
  const came = arrival.value;
  if (came?.kind === "verify") {
    arrival.value = null;
    await attempt(async () => {
      await ask("post", "/v1/auth/email/verify", { open: true, body: { code: came.word } });
      say(t("auth.verified"));
      changed("/v1/auth/me", "/v1/account");
    }, say);
  } else if (came?.kind === "linked") {
    arrival.value = null;
    say(t("auth.linked", { provider: named("provider", came.word) }));
    go("/account", true);
  } else if (came?.kind === "invite" && state.value === "in") {
    arrival.value = null;
    await attempt(async () => {
      const { data } = await ask("post", "/v1/auth/invitations/accept", {
        body: { code: came.word },
      });
      await actFor(data.account_id);
      say(t("auth.joined"));
    }, say);
  } else if (came?.kind === "error" && state.value === "in") {
    arrival.value = null;
    say(explained(new Problem(400, { code: came.word, detail: came.word }, null)));
  }
}

takeArrival();
await start();
render(<App />, document.getElementById("app")!);
effect(() => {
  if (state.value === "out") {
    forgetAll();
  }
  if (arrival.value) {
    void settle();
  }
});
