/** Returns the lines that the applications of this process log while `work` runs. They must start in it. */
export async function logged(work: () => Promise<void>): Promise<string[]> {
  const lines: string[] = [];
  const write = jest.spyOn(process.stdout, 'write').mockImplementation((chunk) => {
    lines.push(String(chunk));
    return true;
  });
  try {
    await work();
  } finally {
    write.mockRestore();
  }
  return lines;
}
