// A video of pages: the frames that the browser shows, put together by Debian's ffmpeg. A pause is shortened to PAUSE_MOST.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const PAUSE_MOST = 1.5; // seconds

/** `film(page)` begins to record a page, `write(file)` ends with all frames in their order as WebM. */
export const camera = () => {
  const frames = [];
  return {
    film: async (page) => {
      const session = await page.context().newCDPSession(page);
      session.on('Page.screencastFrame', ({ data, metadata, sessionId }) => {
        frames.push({ at: metadata.timestamp, data });
        session.send('Page.screencastFrameAck', { sessionId }).catch(() => undefined); // the page is closed
      });
      await session.send('Page.startScreencast', { format: 'jpeg', quality: 90 });
    },
    write: (file) => {
      const dir = mkdtempSync(join(tmpdir(), 'video-'));
      frames.sort((a, b) => a.at - b.at);
      const lines = frames.flatMap(({ at, data }, i) => {
        writeFileSync(join(dir, `${i}.jpg`), data, 'base64');
        return [`file ${i}.jpg`, `duration ${Math.min(PAUSE_MOST, (frames[i + 1]?.at ?? at + PAUSE_MOST) - at).toFixed(3)}`];
      });
      writeFileSync(join(dir, 'list'), [...lines, `file ${frames.length - 1}.jpg`].join('\n'));
      mkdirSync(dirname(file), { recursive: true });
      execFileSync('ffmpeg', ['-v', 'error', '-y', '-f', 'concat', '-i', join(dir, 'list'), '-vf', 'fps=10', '-c:v', 'libvpx-vp9', '-crf', '40', '-b:v', '0', file]);
      rmSync(dir, { recursive: true });
    },
  };
};
