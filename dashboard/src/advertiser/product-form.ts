// A product as its form has it, and the form as the API has it.  Pure.

import type { components } from "../api/schema";
import { list } from "../base/form";
import { parseMoney, plainMoney } from "../base/format";

type Product = components["schemas"]["Product"];
type Create = components["schemas"]["ProductCreate"];

export function emptyProduct(campaign: string, currency: string) {
  return {
    campaign_id: campaign, title: "", url: "", price: "", currency, sku: "", brand: "",
    description: "", image_url: "", category: "", keywords: "", availability: "",
    sale_price: "", gtin: "", language: "",
  };
}

export type ProductValues = ReturnType<typeof emptyProduct>;

export function productValues(product: Product): ProductValues {
  return {
    campaign_id: product.ads[0]?.campaign_id ?? "",
    title: product.title,
    url: product.url,
    price: plainMoney(product.price_micros),
    currency: product.currency,
    sku: product.sku ?? "",
    brand: product.brand,
    description: product.description,
    image_url: product.image_url ?? "",
    category: product.category.join("\n"),
    keywords: product.keywords.join("\n"),
    availability: product.availability ?? "",
    sale_price: plainMoney(product.sale_price_micros),
    gtin: product.gtin,
    language: product.language ?? "",
  };
}

export function unreadableProduct(values: ProductValues): (keyof ProductValues)[] {
  const wrong: (keyof ProductValues)[] = [];
  for (const name of ["title", "url"] as const) {
    if (!values[name].trim()) {
      wrong.push(name);
    }
  }
  if (parseMoney(values.price) === null) {
    wrong.push("price");
  }
  if (values.sale_price && parseMoney(values.sale_price) === null) {
    wrong.push("sale_price");
  }
  return wrong;
}

const orNull = (text: string) => text.trim() || null;

export function productBody(values: ProductValues): Omit<Create, "campaign_id"> {
  const sale = values.sale_price ? parseMoney(values.sale_price) : null;
  return {
    title: values.title.trim(),
    url: values.url.trim(),
    price: (parseMoney(values.price) ?? 0) / 1e6,
    currency: values.currency.trim().toUpperCase(),
    sku: orNull(values.sku),
    brand: orNull(values.brand),
    description: orNull(values.description),
    image_url: orNull(values.image_url),
    category: list(values.category),
    keywords: list(values.keywords),
    availability: (values.availability || null) as Create["availability"],
    sale_price: sale === null ? null : sale / 1e6,
    gtin: orNull(values.gtin),
    language: orNull(values.language),
  };
}
