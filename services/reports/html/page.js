"use strict";
(() => {
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];

  // Charts: the options are data; nothing in them is code.
  const drawn = [];
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const draw = (theme) => {
    const options = JSON.parse(document.getElementById("charts").textContent);
    while (drawn.length) drawn.pop().dispose();
    for (const plot of all(".plot[data-chart]")) {
      const chart = echarts.init(plot, theme, { renderer: "canvas" });
      const option = options[Number(plot.dataset.chart)][Number(plot.clientWidth < 500)];
      option.textStyle = { fontFamily: getComputedStyle(document.body).fontFamily };
      chart.setOption(option);
      drawn.push(chart);
    }
  };
  if (typeof echarts !== "undefined") {
    const theme = () => (dark.matches ? "dark" : null);
    draw(theme());
    dark.addEventListener("change", () => draw(theme()));
    addEventListener("resize", () => draw(theme()));
    // Drawn before the browser lays the paper out, as wide as A4 and Letter leave room for.
    const sized = (width, height) => all(".plot[data-chart]").forEach((plot) => Object.assign(plot.style, { width, height }));
    addEventListener("beforeprint", () => { sized("40rem", "18rem"); draw(null); });
    addEventListener("afterprint", () => { sized("", ""); draw(theme()); });
  }

  // Citations, and the signs of marked statements: keep quote or reason inside the window, light up the reference, close with Escape.
  // How far to move what stands where the flow puts it: a quote above its citation, a reason below its sign.
  const besides = (cite, box) => {
    const place = cite.getBoundingClientRect();
    return [place.left - box.left, cite.matches(".why") ? place.bottom - box.top : place.top - box.bottom];
  };
  const saidBy = (cite) => (cite.matches(".said + .why") ? cite.previousElementSibling : null);
  for (const cite of all(".cite")) {
    const tip = cite.querySelector(".tip");
    const reference = document.getElementById(`ref-${cite.dataset.ref}`);
    const show = () => {
      tip.style.translate = "";
      const box = tip.getBoundingClientRect();
      const [x, y] = cite.closest(".scroll") ? besides(cite, box) : [0, 0];
      const over = Math.max(0, box.right + x + 12 - document.documentElement.clientWidth);
      const under = box.top + y < 8 ? box.height + 28 : 0;
      tip.style.translate = `${x - over}px ${y + under}px`;
      if (reference) reference.classList.add("lit");
    };
    const hide = () => { cite.classList.remove("closed"); if (reference) reference.classList.remove("lit"); };
    cite.addEventListener("mouseenter", show);
    cite.addEventListener("focusin", show);
    saidBy(cite)?.addEventListener("mouseenter", show);
    saidBy(cite)?.addEventListener("mouseleave", hide);
    cite.addEventListener("mouseleave", () => { if (!cite.contains(document.activeElement)) hide(); });
    cite.addEventListener("focusout", (event) => { if (!cite.contains(event.relatedTarget) && !cite.matches(":hover")) hide(); });
  }
  addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    for (const cite of all(".cite:hover, .cite:focus-within, .said:hover + .why")) {
      if (cite.contains(document.activeElement)) cite.querySelector(".mark").focus({ preventScroll: true }); // a link inside is about to be hidden
      cite.classList.add("closed");
    }
  });

  // On a phone a citation opens its quote, and a marked statement its reason, as a sheet from below, with the ways on and back to the text.
  const sheets = matchMedia("(max-width: 36rem), (pointer: coarse)");
  const report = document.getElementById("report");
  const addWays = (cite, mark) => {
    const ways = Object.assign(document.createElement("span"), { className: "ways" });
    const back = Object.assign(document.createElement("button"), { type: "button", textContent: report.dataset.back });
    const link = Object.assign(document.createElement("a"), { href: mark.hash, textContent: cite.dataset.ref ? `${report.dataset.references} ${mark.textContent}` : report.dataset.limits });
    back.addEventListener("click", () => mark.focus({ preventScroll: true }));
    ways.append(back, link);
    cite.querySelector(".tip").append(ways);
  };
  const openSheet = (mark) => {
    const cite = mark.closest(".cite");
    if (!cite.querySelector(".ways")) addWays(cite, mark);
    cite.classList.remove("closed");
    cite.classList.add("open");
    cite.querySelector(".ways button").focus({ preventScroll: true });
  };
  addEventListener("keydown", (event) => { if (event.key === "Escape") for (const back of all(".cite.open .ways button")) back.click(); });
  addEventListener("click", (event) => {
    for (const cite of all(".cite.open")) if (!event.target.closest(".tip") || event.target.closest(".ways")) cite.classList.replace("open", "closed");
    const said = event.target.closest(".cite") ? null : event.target.closest(".said");
    const pressed = event.target.closest(".mark") || said?.nextElementSibling.querySelector(".mark");
    if (!sheets.matches || !pressed) return;
    event.preventDefault();
    // The areas of citations side by side overlap: the nearest one is meant.
    const away = (mark) => { const box = mark.getBoundingClientRect(); return Math.hypot(box.x + box.width / 2 - event.clientX, box.y + box.height / 2 - event.clientY); };
    openSheet(event.detail && !said ? all(".cite .mark").reduce((best, mark) => (away(mark) < away(best) ? mark : best)) : pressed);
  });

  // In a frame without an address of its own, as in a notebook, a link inside the page would lead to the notebook.
  if (location.protocol === "about:") {
    addEventListener("click", (event) => {
      const link = event.target.closest && event.target.closest("a[href^='#']");
      const goal = link && document.getElementById(decodeURIComponent(link.getAttribute("href").slice(1)));
      if (!goal) return;
      event.preventDefault();
      goal.scrollIntoView();
    });
  }

  // Links to sections.
  for (const link of all(".link")) {
    link.addEventListener("click", async () => {
      const address = new URL(link.getAttribute("href"), location.href).href;
      try { await navigator.clipboard.writeText(address); link.textContent = `# ${link.dataset.done}`; } catch { return; }
      setTimeout(() => { link.textContent = "#"; }, 1500);
    });
  }

  // Search: highlights without touching the text.
  const input = document.getElementById("search");
  const found = document.getElementById("found");
  let ranges = [], at = -1;
  const search = () => {
    const wanted = input.value.trim().toLowerCase();
    ranges = []; at = -1;
    if (wanted) {
      const walker = document.createTreeWalker(document.getElementById("report"), NodeFilter.SHOW_TEXT);
      for (let node; (node = walker.nextNode()) && ranges.length < 2000;) {
        if (node.parentElement.closest(".tip, .sr, .plot, .printed")) continue;
        const text = node.data.toLowerCase();
        if (text.length !== node.data.length) continue;
        for (let from = text.indexOf(wanted); from >= 0; from = text.indexOf(wanted, from + wanted.length)) {
          const range = new Range();
          range.setStart(node, from); range.setEnd(node, from + wanted.length);
          ranges.push(range);
        }
      }
    }
    if (CSS.highlights) { CSS.highlights.set("found", new Highlight(...ranges)); CSS.highlights.delete("here"); }
    found.textContent = wanted ? found.dataset.text.replace("{count}", ranges.length) : "";
  };
  const step = (back) => {
    if (!ranges.length) return;
    at = (at + (back ? ranges.length - 1 : 1)) % ranges.length;
    const details = ranges[at].startContainer.parentElement.closest("details");
    if (details) details.open = true;
    if (CSS.highlights) CSS.highlights.set("here", new Highlight(ranges[at]));
    ranges[at].startContainer.parentElement.scrollIntoView({ block: "center" });
    found.textContent = `${at + 1} / ${ranges.length}`;
  };
  input.addEventListener("input", search);
  input.form.addEventListener("submit", (event) => event.preventDefault());
  input.addEventListener("keydown", (event) => { if (event.key === "Enter") step(event.shiftKey); });

  // Contents: where the reader is. On a narrow screen they would push the report down.
  const narrow = matchMedia("(max-width: 56rem)");
  const fold = () => all(".contents details").forEach((details) => { details.open = !narrow.matches; });
  narrow.addEventListener("change", fold);
  fold();
  const entries = new Map(all(".contents a").map((link) => [link.hash.slice(1), link]));
  const watch = new IntersectionObserver((seen) => {
    for (const entry of seen) {
      const link = entries.get(encodeURI(entry.target.id)) || entries.get(entry.target.id);
      if (entry.isIntersecting && link) {
        entries.forEach((other) => other.removeAttribute("aria-current"));
        link.setAttribute("aria-current", "true");
      }
    }
  }, { rootMargin: "0px 0px -70% 0px" });
  all("main :is(h2, h3, h4, h5, h6)[id]").forEach((heading) => watch.observe(heading));
})();
