/** Begins a step of `all` bytes or items and returns the function that reports progress in it. */
export type Progress = (step: string, all: number) => (more: number) => void;
