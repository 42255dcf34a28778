/* Fills data-ads-src, and reports each ad that was half in view for 1 s. */
(() => {
  const take = (name, work) =>
    document.querySelectorAll(`[${name}]`).forEach((node) => {
      const url = node.getAttribute(name);
      node.removeAttribute(name);
      work(node, url);
    });
  const view = new IntersectionObserver((seen) => seen.forEach((entry) => {
    const card = entry.target;
    clearTimeout(card.adsTimer);
    if (entry.isIntersecting)
      card.adsTimer = setTimeout(() => {
        view.unobserve(card);
        navigator.sendBeacon(card.adsUrl);
      }, 1000);
  }), { threshold: 0.5 });
  const look = () => {
    take("data-ads-seen", (card, url) => {
      card.adsUrl = url;
      view.observe(card);
    });
    take("data-ads-src", async (slot, url) => {
      const answer = await fetch(url);
      slot.innerHTML = answer.ok ? await answer.text() : "";
    });
  };
  new MutationObserver(look).observe(document, { childList: true, subtree: true });
  look();
})();
