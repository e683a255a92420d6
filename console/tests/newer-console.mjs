/**
 * Lets the server have another console for what is asked for from now on: files of this one are gone, and the console's page
 * names others. It lasts until the page is loaded anew, since parts that are missing are asked for again and again.
 */
export async function serveNewerConsole(page) {
  let isNewer = true;
  page.on("request", (request) => (isNewer &&= !request.isNavigationRequest()));
  await page.route("**/console/assets/**", (route) =>
    isNewer ? route.fulfill({ status: 404, body: "" }) : route.continue(),
  );
  await page.route("**/console/", async (route) => {
    const answer = await route.fetch();
    const newer = (await answer.text()).replace(/frame-[\w-]+\.js/, "frame-newer.js");
    await route.fulfill({ response: answer, body: newer });
  });
}
