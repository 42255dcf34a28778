// Before the first paint, so that a chosen theme does not flash the other one.
(function () {
  try {
    var theme = localStorage.getItem("ads.theme");
    if (theme === "light" || theme === "dark") {
      document.documentElement.dataset.theme = theme;
    }
  } catch (refused) {
    // no storage: the system's theme
  }
})();
