// The frame around every screen: navigation, palette, who acts for whom.

import { signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { forgetAll } from "../api/data";
import { account, actingFor, signOut, user } from "../api/session";
import { named, setLanguage, setTheme, t, theme } from "../base/prefs";
import { go, path } from "../base/router";
import { type Entry, navigation } from "../navigation";
import { IconButton, Link } from "./button";
import { Icon, type IconName } from "./icon";
import { type Command, Palette, paletteOpen, usePaletteKey } from "./palette";

const menuOpen = signal(false);
const closeMenu = () => { menuOpen.value = false; };

export const kindOf = () => actingFor.value?.type ?? account.value?.type ?? "advertiser";

export function endActing(): void {
  actingFor.value = null;
  forgetAll();
  go("/");
}

function here(entry: Entry): boolean {
  return entry.to === "/" ? path.value === "/"
    : path.value === entry.to || path.value.startsWith(`${entry.to}/`);
}

function NavLink({ entry }: { entry: Entry }) {
  return (
    <Link to={entry.to} current={here(entry)} onGo={closeMenu}>
      <Icon name={entry.icon} />{t(entry.label)}
    </Link>
  );
}

const themes = ["system", "light", "dark"] as const;
const themeIcons: Record<(typeof themes)[number], IconName> = {
  system: "system", light: "sun", dark: "moon",
};

function Side() {
  const groups = navigation[kindOf()];
  const next = themes[(themes.indexOf(theme.value) + 1) % themes.length];
  const name = actingFor.value?.name ?? account.value?.name ?? "";
  return (
    <aside class={menuOpen.value ? "side open" : "side"} aria-label={t("nav.menu")}>
      <div class="brand">
        <span class="brand-mark" aria-hidden="true">A</span>
        <span class="brand-name">
          <strong class="clip">{name}</strong>
          <span class="faint small">{named("type", kindOf())}</span>
        </span>
      </div>
      <button class="side-search" type="button" onClick={() => { closeMenu(); paletteOpen.value = true; }}>
        <Icon name="search" />{t("nav.search")}<kbd>Ctrl K</kbd>
      </button>
      <nav aria-label={t("nav.main")}>
        {groups.map((group) => (
          <div key={group.label ?? "first"}>
            {group.label && <p class="side-group">{t(group.label)}</p>}
            {group.entries.map((entry) => <NavLink key={entry.to} entry={entry} />)}
          </div>
        ))}
      </nav>
      <div class="side-foot">
        <Link to="/account" onGo={closeMenu} current={path.value === "/account"}>
          <span class="avatar" aria-hidden="true">{user.value?.email.slice(0, 1)}</span>
          <span class="clip small">{user.value?.name ?? user.value?.email}</span>
        </Link>
        <IconButton icon={themeIcons[theme.value]} label={t(`palette.theme.${next}`)}
          onClick={() => setTheme(next)} />
        <IconButton icon="out" label={t("auth.out")} onClick={() => void signOut(false)} />
      </div>
    </aside>
  );
}

function commands(): Command[] {
  const pages = navigation[kindOf()].flatMap((group) => group.entries).map((entry) => ({
    label: t(entry.label), icon: entry.icon, run: () => go(entry.to),
  }));
  const made: Command[] = kindOf() === "advertiser" ? [
    { label: t("palette.new.campaign"), icon: "plus", run: () => go("/campaigns/new") },
    { label: t("palette.new.product"), icon: "plus", run: () => go("/products/new") },
    { label: t("palette.upload"), icon: "up", run: () => go("/products/upload") },
    { label: t("palette.topup"), icon: "money", run: () => go("/balance/topup") },
  ] : [];
  return [
    ...pages, ...made,
    { label: t("nav.account"), icon: "person", run: () => go("/account") },
    { label: t("nav.docs"), icon: "code", run: () => location.assign("/docs") },
    { label: t("palette.theme.light"), icon: "sun", run: () => setTheme("light") },
    { label: t("palette.theme.dark"), icon: "moon", run: () => setTheme("dark") },
    { label: t("palette.theme.system"), icon: "system", run: () => setTheme("system") },
    { label: t("palette.language.en"), icon: "chat", run: () => setLanguage("en") },
    { label: t("palette.language.de"), icon: "chat", run: () => setLanguage("de") },
    { label: t("auth.out"), icon: "out", run: () => void signOut(false) },
  ];
}

export function Shell({ children }: { children: ComponentChildren }) {
  usePaletteKey();
  return (
    <div class="shell">
      <a class="skip button" href="#main" onClick={(event) => {
        event.preventDefault();
        document.querySelector<HTMLElement>("#main")?.focus();
      }}>{t("nav.skip")}</a>
      <header class="bar">
        <IconButton icon="menu" label={t("nav.menu")} onClick={() => { menuOpen.value = true; }} />
        <span class="strong clip">{actingFor.value?.name ?? account.value?.name}</span>
        <IconButton icon="search" label={t("palette.title")}
          onClick={() => { paletteOpen.value = true; }} />
      </header>
      <Side />
      {menuOpen.value && (
        <button class="veil" type="button" aria-label={t("do.close")} onClick={closeMenu} />
      )}
      <div>
        {actingFor.value && (
          <div class="acting" role="status">
            <span>{t("nav.acting", { name: actingFor.value.name })}</span>
            <button type="button" class="button" onClick={endActing}>{t("nav.acting.end")}</button>
          </div>
        )}
        <main id="main" tabIndex={-1}><div class="main-inner">{children}</div></main>
      </div>
      <Palette commands={commands()} />
    </div>
  );
}
