// A plugin of typedoc (typedoc.json): the list of pages says what each of them has, which is the comment of its file in scripts/api/.
import { Comment, PageEvent } from 'typedoc';

/** @param {import('typedoc').Application} app */
export function load(app) {
  app.renderer.on(PageEvent.END, (page) => {
    if (page.url !== 'README.md') return;
    const pages = page.project.children ?? [];
    for (const { name, comment } of pages) {
      const words = Comment.combineDisplayParts(comment?.summary).replace(/\s+/g, ' ').trim();
      const entry = `- [${name}](${name}.md)`;
      page.contents = page.contents?.replace(`${entry}\n`, () => `${entry}: ${words}\n`);
    }
  });
}
