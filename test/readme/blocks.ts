/** A block of commands of a chapter, with the answer that is shown below it. */
export interface Block {
  readonly text: string;
  /** The documented response to the last command of the block, if any. */
  readonly answer?: unknown;
}

/** The text of a chapter: from its title to the next title of its level. */
export function chapterOf(markdown: string, title: string): string {
  const chapter = markdown.split(/^## /m).find((part) => part.startsWith(`${title}\n`));
  if (!chapter) throw new Error(`There is no chapter "${title}".`);
  return chapter;
}

/**
 * Returns the blocks of a chapter in order. Every fence must be a block of commands or the response right below one,
 * because otherwise it would be skipped.
 */
export function blocksOf(chapter: string): Block[] {
  const blocks: Block[] = [];
  let end = -1;
  for (const fence of chapter.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)) {
    const [whole, language, text] = fence as unknown as [string, string, string];
    if (language === 'sh') blocks.push({ text });
    else if (language === 'json' && chapter.slice(end, fence.index).trim() === '')
      blocks.push({ ...blocks.pop()!, answer: JSON.parse(text) as unknown });
    else throw new Error(`A fence is neither commands nor the answer below them: ${whole}`);
    end = fence.index + whole.length;
  }
  const fences = chapter.match(/^```/gm)?.length ?? 0;
  const answers = blocks.filter(({ answer }) => answer !== undefined).length;
  if (fences !== 2 * (blocks.length + answers)) throw new Error(`${fences} fences are not pairs.`);
  return blocks;
}

/** Placeholder for a value that differs each time. */
const ANY = '…';

/** Returns the differences between the documented and the actual response, as a path and both values. */
export function differences(said: unknown, answered: unknown, path = ''): string[] {
  if (said === ANY) return answered === null || answered === undefined ? [`${path}: nothing`] : [];
  if (typeof said !== 'object' || said === null)
    return said === answered ? [] : [`${path}: ${JSON.stringify(answered)} is not ${JSON.stringify(said)}`];
  if (typeof answered !== 'object' || answered === null || Array.isArray(said) !== Array.isArray(answered))
    return [`${path}: ${JSON.stringify(answered)} is not ${JSON.stringify(said)}`];
  const [ours, theirs] = [said, answered] as [Record<string, unknown>, Record<string, unknown>];
  const names = new Set([...Object.keys(ours), ...Object.keys(theirs)]);
  return [...names].flatMap((name) => {
    if (!(name in ours)) return [`${path}/${name} is not said`];
    return differences(ours[name], theirs[name], `${path}/${name}`);
  });
}

/** Returns the reasons why a block works in bash only. */
export function pasteFaults({ text }: Block): string[] {
  // zsh takes no comments at its prompt, and has `path` and `status` for itself.
  return [
    ...(/(^|\s)#/m.test(text) ? ['a comment'] : []),
    ...(/\b(path|status)=/.test(text) ? ['a variable of zsh'] : []),
    ...(/…/.test(text) ? ['something to fill in'] : []),
  ];
}
