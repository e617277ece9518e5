import { chromium, Window } from '../swagger/browser';
import { perFile } from '../setup/fixtures';
import { TestApp } from '../setup/test-app';
import { openTenant, sign } from './support/cards';
import { brokenImages, dataUrl, soundImages } from './support/png';

const executable = chromium();
const app = perFile(() => TestApp.start());

(executable ? describe : describe.skip)('Images of signatures in a browser', () => {
  it('are shown if they are accepted, and not if they are refused', async () => {
    const { plateforme } = await openTenant(app);
    const window = await Window.open(executable!);
    try {
      const images = { ...soundImages(), ...brokenImages() };
      for (const [what, bytes] of Object.entries(images)) {
        const imageSignature = dataUrl(bytes);
        const { status } = await sign(app, plateforme, { imageSignature });
        const url = JSON.stringify(imageSignature);
        const shown = await window.page.evaluate(
          `fetch(${url}).then((answer) => answer.blob()).then(createImageBitmap).then(() => true, () => false)`,
        );
        expect([what, shown]).toEqual([what, status === 201]);
      }
    } finally {
      await window.close();
    }
  });
});
