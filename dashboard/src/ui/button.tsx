// Buttons and links.  A link inside the dashboard loads no page.

import type { ComponentChildren } from "preact";
import { go, href } from "../base/router";
import { Icon, type IconName } from "./icon";

interface ButtonProps {
  children: ComponentChildren;
  onClick?: () => void;
  look?: "main" | "plain" | "quiet" | "danger";
  type?: "button" | "submit";
  icon?: IconName;
  busy?: boolean;
  disabled?: boolean;
}

export function Button({ children, onClick, look = "plain", type = "button", icon, busy,
  disabled }: ButtonProps) {
  return (
    <button class={`button ${look}`} type={type} onClick={onClick} disabled={disabled}
      aria-busy={busy || undefined}>
      {icon && <Icon name={icon} />}
      <span>{children}</span>
    </button>
  );
}

export function IconButton({ icon, label, onClick }:
  { icon: IconName; label: string; onClick: () => void }) {
  return (
    <button class="icon-button" type="button" aria-label={label} title={label} onClick={onClick}>
      <Icon name={icon} />
    </button>
  );
}

interface LinkProps {
  to: string;
  children: ComponentChildren;
  class?: string;
  current?: boolean;
  onGo?: () => void;
}

export function Link({ to, children, class: name, current, onGo }: LinkProps) {
  const follow = (event: MouseEvent) => {
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) {
      return; // a new tab, as the browser does it
    }
    event.preventDefault();
    onGo?.();
    go(to);
  };
  return (
    <a href={href(to)} class={name} aria-current={current ? "page" : undefined} onClick={follow}>
      {children}
    </a>
  );
}

export function LinkButton({ to, children, look = "plain", icon }:
  { to: string; children: ComponentChildren; look?: "main" | "plain" | "quiet"; icon?: IconName }) {
  return (
    <Link to={to} class={`button ${look}`}>
      {icon && <Icon name={icon} />}
      <span>{children}</span>
    </Link>
  );
}
