"use strict";
(() => {
  const slides = [...document.querySelectorAll(".slide")];
  const by = (id) => document.getElementById(id);
  const pace = 8000;
  let now = 0, timer = 0;
  const drawn = new Map();
  const options = JSON.parse(by("charts").textContent);

  // A chart is drawn whenever its slide is shown or sized anew, by the options for a wide or for a narrow plot.
  const draw = (slide) => {
    if (typeof echarts === "undefined") return;
    for (const plot of slide.querySelectorAll(".plot[data-chart]")) {
      const dark = matchMedia("(prefers-color-scheme: dark)").matches;
      if (!drawn.has(plot)) drawn.set(plot, echarts.init(plot, dark ? "dark" : null, { renderer: "canvas" }));
      const option = structuredClone(options[Number(plot.dataset.chart)][Number(plot.clientWidth < 500)]);
      option.textStyle = { fontFamily: getComputedStyle(document.body).fontFamily, fontSize: 16 };
      const size = Math.round(parseFloat(getComputedStyle(document.documentElement).fontSize) * 1.1);
      for (const axis of [option.xAxis, option.yAxis].filter(Boolean)) {
        axis.axisLabel = { ...axis.axisLabel, fontSize: size };
        axis.nameTextStyle = { fontSize: size };
      }
      if (option.legend) option.legend.textStyle = { fontSize: size };
      for (const series of option.series) if (series.label) Object.assign(series, { ...(series.radius && { radius: ["32%", "62%"] }), label: { ...series.label, fontSize: size } });
      drawn.get(plot).resize();
      drawn.get(plot).setOption(option, true);
    }
  };
  const show = (place) => {
    now = Math.max(0, Math.min(slides.length - 1, place));
    slides.forEach((slide, at) => { slide.classList.toggle("now", at === now); slide.inert = at !== now; });
    by("place").textContent = `${now + 1} / ${slides.length}`;
    by("bar").style.width = `${((now + 1) / slides.length) * 100}%`;
    by("back").disabled = now === 0;
    by("next").disabled = now === slides.length - 1;
    by("show").disabled = !slides[now].querySelector(".notes");
    history.replaceState(null, "", `#slide-${now + 1}`);
    draw(slides[now]);
    notes();
  };
  const notes = () => {
    const open = by("show").getAttribute("aria-expanded") === "true";
    slides.forEach((slide, at) => { const aside = slide.querySelector(".notes"); if (aside) aside.hidden = !(open && at === now); });
  };
  // Playing ends on the last slide; it never begins again by itself.
  const stop = () => { clearInterval(timer); timer = 0; by("play").textContent = "▶"; by("play").ariaLabel = by("play").dataset.play; };
  const play = () => {
    if (timer) { stop(); return; }
    if (now === slides.length - 1) show(0);
    by("play").textContent = "❚❚"; by("play").ariaLabel = by("play").dataset.pause;
    timer = setInterval(() => { show(now + 1); if (now === slides.length - 1) stop(); }, pace);
  };
  by("back").addEventListener("click", () => show(now - 1));
  by("next").addEventListener("click", () => show(now + 1));
  by("play").addEventListener("click", play);
  by("show").addEventListener("click", () => {
    by("show").setAttribute("aria-expanded", String(by("show").getAttribute("aria-expanded") !== "true"));
    notes();
  });
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const step = { ArrowRight: 1, ArrowDown: 1, PageDown: 1, ArrowLeft: -1, ArrowUp: -1, PageUp: -1 }[event.key];
    if (step) show(now + step);
    else if (event.key === "Home") show(0);
    else if (event.key === "End") show(slides.length - 1);
    else if (event.key === " " && event.target.tagName !== "BUTTON") show(now + 1);
    else if (event.key === "f" && document.fullscreenEnabled) document.documentElement.requestFullscreen();
    else return;
    event.preventDefault();
  });
  addEventListener("resize", () => draw(slides[now]));
  // On paper all slides stand; charts are drawn at their size there before the browser lays it out.
  const printing = (on) => {
    document.documentElement.classList.toggle("printing", on);
    (on ? slides : [slides[now]]).forEach(draw);
  };
  addEventListener("beforeprint", () => printing(true));
  addEventListener("afterprint", () => printing(false));
  document.body.classList.add("moving");
  show((Number(location.hash.replace("#slide-", "")) || 1) - 1);
})();
