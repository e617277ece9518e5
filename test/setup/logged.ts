import { STANDARD_OUTPUT } from '../../libs/platform/src/ops/log-destination';

/** Returns the lines that the applications of this process log while `work` runs. */
export async function logged(work: () => Promise<void>): Promise<string[]> {
  const lines: string[] = [];
  const write = jest.spyOn(STANDARD_OUTPUT, 'write').mockImplementation((line) => void lines.push(line));
  try {
    await work();
  } finally {
    write.mockRestore();
  }
  return lines;
}
