// An ad as people see it: label, advertiser, title, price.

import { t } from "../base/prefs";
import { money } from "../base/shown";

interface AdProps {
  title: string;
  advertiser?: string | null;
  micros?: number | null;
  currency: string;
  image?: string | null;
  description?: string | null;
  brand?: string | null;
  label?: string;
}

export function AdCard({ title, advertiser, micros, currency, image, description, brand, label }: AdProps) {
  return (
    <div class="ad">
      {image
        ? <img class="ad-picture" src={image} alt="" width="64" height="64" loading="lazy" referrerpolicy="no-referrer" />
        : <span class="ad-picture" aria-hidden="true">{(brand || title).slice(0, 1)}</span>}
      <div class="ad-text">
        <p><span class="ad-label">{label ?? t("ad.label")}</span>
          {advertiser && <span class="faint small"> {advertiser}</span>}</p>
        <p class="strong">{title}</p>
        {description && <p class="soft small two-lines">{description}</p>}
        {micros !== undefined && <p>{money(micros, currency)}</p>}
      </div>
    </div>
  );
}
